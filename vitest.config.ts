import { defineConfig } from 'vitest/config';

const project = (name: string, more: object = {}) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], ...more },
});

export default defineConfig({
  test: {
    projects: [
      project('unit'),
      project('architecture'),
      project('contract', { testTimeout: 60_000, hookTimeout: 60_000 }),
      project('integration', { testTimeout: 120_000, hookTimeout: 60_000 }),
      project('browser', { testTimeout: 60_000, hookTimeout: 120_000 }),
      project('infra', { testTimeout: 60_000, hookTimeout: 60_000 }),
      project('simulation', { testTimeout: 240_000 }),
    ],
  },
});
