import { randomUUID } from 'node:crypto';
import type { AttemptId } from '#domain/ids.ts';
import type { Ids } from '#ports/ids.ts';

export const createRandomIds = (): Ids => ({ attempt: () => randomUUID() as AttemptId });
