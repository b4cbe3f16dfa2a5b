import { endOf, withEnd } from '#domain/retention.ts';
import type { Settings } from '#domain/settings.ts';
import type { Clock } from '#ports/clock.ts';
import type { Store } from '#ports/store.ts';

const A_DAY_MS = 86_400_000;

/** A store whose rows end as the settings say. The rows of a long text outlive the row that names them. */
export const createRetainingStore = (
  store: Store,
  limits: Settings['retention'],
  { now }: Pick<Clock, 'now'>,
): Store => ({
  ...store,
  write: (write) => store.write(withEnd(write, limits, now())),
  keep: (under, text, until = endOf(under, limits, now())) =>
    store.keep(under, text, until === undefined ? undefined : until + A_DAY_MS),
});
