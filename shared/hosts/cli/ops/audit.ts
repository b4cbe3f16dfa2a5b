import type { Item } from '#domain/expression.ts';
import type { Store } from '#ports/store.ts';
import { type Row, timeText, type Verb } from './verb.ts';

const PAGE = 500;

/** Who decided what, oldest first. What people wrote with it stays in the table. */
export const audit: Verb = async ({ session, words, target }) => {
  if (session === undefined || words.length > 0)
    throw new Error('usage: ops audit --session <session> [--json]');
  const { store } = await target();
  const asks = new Map<string, Item>();
  for (const item of await rowsOf(store, `AUDIT#${session}`)) {
    const name = String(item['sk']).replace(/#(?:decided|outcome)$/, '');
    asks.set(name, { ...asks.get(name), ...item });
  }
  return { none: `nothing was decided in ${session}`, rows: [...asks.values()].map(rowOf) };
};

const rowOf = (item: Item): Row => ({
  at: timeText(Date.parse(String(item['sk']).split('#')[0] ?? '')),
  ask: item['ask'],
  tools: item['tools'],
  kind: item['kind'],
  decided_by: item['decided_by'],
  channel: item['channel'],
  outcome: item['outcome'],
  shown: item['shown'],
  binding: item['binding'],
  policy_version: item['policy_version'],
});

const rowsOf = async (store: Store, pk: string): Promise<readonly Item[]> => {
  const rows: Item[] = [];
  let from = ' ';
  for (;;) {
    const page = await store.list({ pk, from, to: '~', limit: PAGE });
    rows.push(...page.filter((item) => item['sk'] !== from));
    if (page.length < PAGE) return rows;
    from = String(page.at(-1)?.['sk']);
  }
};
