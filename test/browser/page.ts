import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Look } from '#hosts/local/playground.ts';
import { launchBrowser } from '../support/browser.ts';
import { createFakeStandIn, type FakeStandIn } from '../support/fake-stand-in.ts';
import { type PlaygroundServer, startPlayground } from '../support/playground-server.ts';

export const IDLE: Look = { session: 'feishu:cli:oc', phase: 'IDLE', waiting: 0, events: [] };

/** The page alone: a real browser on the real server, with a platform whose posts the test makes. */
export interface World {
  feishu: FakeStandIn;
  server: PlaygroundServer;
  look: Look;
  /** What went wrong in any page: errors, violations of the content policy, dialogs that somebody's text opened. */
  readonly complaints: string[];
  open(
    place: string,
    options?: BrowserContextOptions,
    beforehand?: (page: Page) => Promise<void>,
  ): Promise<Page>;
  restart(): Promise<void>;
}

export const givenPage = (): World => {
  let browser: Browser;
  const serve = (port?: number) =>
    startPlayground(
      { standIns: [world.feishu], look: async () => world.look, language: 'en', model: 'demo' },
      port,
    );
  const world: World = {
    feishu: createFakeStandIn(),
    server: undefined as unknown as PlaygroundServer,
    look: IDLE,
    complaints: [],
    open: async (place, options, beforehand) => {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      page.on('pageerror', (error) => world.complaints.push(error.message));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) world.complaints.push(message.text());
      });
      page.on('dialog', (dialog) => {
        world.complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      await beforehand?.(page);
      await page.goto(`${world.server.url}/#feishu/${place}`);
      await page.locator('#phase:not(:empty)').waitFor();
      return page;
    },
    restart: async () => {
      world.server = await serve(world.server.port);
    },
  };
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    world.feishu = createFakeStandIn();
    world.look = IDLE;
    world.complaints.length = 0;
    world.server = await serve();
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    await world.server.stop();
    expect(world.complaints).toEqual([]);
  });
  return world;
};
