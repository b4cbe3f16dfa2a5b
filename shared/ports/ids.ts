import type { AttemptId } from '#domain/ids.ts';

export interface Ids {
  attempt(): AttemptId;
}
