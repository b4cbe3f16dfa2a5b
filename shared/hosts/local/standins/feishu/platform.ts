import type { CardsShown } from './cards-shown.ts';
import type { Limits } from './limits.ts';
import type { State } from './state.ts';
import type { FeishuSecrets } from './world.ts';

/** What every part of the stand-in works with. */
export interface Platform {
  readonly secrets: FeishuSecrets;
  readonly state: State;
  readonly limits: Limits;
  readonly cards: CardsShown;
  readonly now: () => number;
  /** To be called after a change in a chat. */
  readonly changed: (chat: string) => void;
}

/** One call of the API, its body read. */
export interface ApiCall {
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** The size of the body as it came. */
  readonly bytes: number;
}
