import { defineConfig } from 'vitest/config';

const project = (name: string, more: object = {}) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], ...more },
});

export default defineConfig({
  test: {
    // By default one core is left idle, which on two cores is half of them.
    maxWorkers: '100%',
    projects: [
      // Properties take seconds where the machine has other work; nothing here waits for anything.
      project('unit', { testTimeout: 30_000 }),
      project('architecture'),
      project('contract', { testTimeout: 120_000, hookTimeout: 60_000 }),
      project('integration', { testTimeout: 120_000, hookTimeout: 60_000 }),
      project('browser', { testTimeout: 60_000, hookTimeout: 120_000 }),
      project('infra', { testTimeout: 60_000, hookTimeout: 60_000 }),
      project('simulation', { testTimeout: 240_000 }),
    ],
  },
});
