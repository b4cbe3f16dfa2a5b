import type { Settings } from '#domain/settings.ts';
import type { Channel } from './channel.ts';
import type { Clock } from './clock.ts';
import type { Ids } from './ids.ts';
import type { Log } from './log.ts';
import type { Model } from './model.ts';
import type { Queue } from './queue.ts';
import type { Scheduler } from './scheduler.ts';
import type { Store } from './store.ts';
import type { Resources, Runner, Tool } from './tool.ts';

/** What the webhook and timeout functions need: no model, no tools. */
export interface FrontPorts {
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
}

/** What the agent and dead-letter functions need besides. */
export interface EnginePorts extends FrontPorts {
  readonly scheduler: Scheduler;
  readonly model: Model;
  readonly ids: Ids;
  readonly runner: Runner;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly resources: Resources;
}
