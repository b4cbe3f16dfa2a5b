import type { Change, Write } from '#domain/expression.ts';
import type { Call } from './process.ts';

const valueAt = (change: readonly Change[], path: string): unknown => {
  const found = change.find((one) => one.path.join('.') === path);
  return found && 'value' in found ? found.value : found && 'removed';
};

/** Which of the protocol's writes this is, told by what it changes. */
export const nameOfWrite = ({ key, change }: Write): string => {
  const has = (path: string) => valueAt(change, path);
  if (key.sk.startsWith('X#')) {
    const state = has('state') as string | undefined;
    const what = state ?? (has('checkpoint') === undefined ? 'retried' : 'checkpoint');
    return `ledger ${key.sk.slice(-8)} ${what}`;
  }
  if (key.sk.startsWith('M#'))
    return key.sk.endsWith('#final') ? 'save final' : `save ${key.sk.slice(42)}`;
  if (key.sk.startsWith('I#'))
    return has('decided')
      ? `inbox ${key.sk.slice(2)} decided`
      : has('dead')
        ? `inbox ${key.sk.slice(2)} dead`
        : `inbox ${key.sk.slice(2)}`;
  if (key.pk.startsWith('AUDIT')) return `audit ${key.sk.split('#')[2]}`;
  if (key.pk.startsWith('R#')) return 'card reference';
  if (key.pk.startsWith('P#')) return 'remember';
  if (key.sk !== '#') return `put ${key.sk}`;
  const decision = has('ask.decision') as { kind?: string } | undefined;
  if (has('ask.state') === 'decided') return `claim ${decision?.kind}`;
  if (has('ask.state') === 'taken') return decision ? 'seize with ask' : 'take decision';
  if (has('ask')) return 'open ask';
  if (has('ask.shown')) return 'save what was shown';
  if (has('aside')) return 'put aside';
  if (has('phase') === 'IDLE') return has('historyFrom') ? 'reset' : 'end turn';
  if (has('turn') && has('accepted')) return 'start turn';
  if (has('turn')) return 'hand over';
  if (has('turn.part') !== undefined) return 'pass on';
  if (has('turn.job')) return 'seize';
  if (has('turn.cancelAt')) return 'request cancel';
  if (has('aside.0')) return 'skip aside';
  return has('accepted') ? 'fence' : 'write session';
};

/** One line of the story. */
export const nameOfCall = ({ port, method, args }: Call): string => {
  if (port === 'store' && method === 'write') return nameOfWrite(args[0] as Write);
  if (port === 'queue') {
    const job = JSON.parse((args[0] as { body: string }).body) as {
      type: string;
      command?: string;
    };
    return `send ${job.type}${job.command ? ` /${job.command}` : ''}`;
  }
  if (port === 'scheduler')
    return method === 'every'
      ? 'schedule tick'
      : method === 'once'
        ? 'schedule expiry'
        : 'drop tick';
  if (port === 'channel')
    return method === 'say' ? `say "${String(args[1]).slice(0, 60)}"` : `${method} card`;
  if (port === 'effects') return `${method.toUpperCase()} ${JSON.stringify(args[0])}`;
  if (port === 'store')
    return `${method} ${JSON.stringify((args[0] as { sk?: string }[])[0]?.sk ?? args[0]).slice(0, 60)}`;
  return `${port}.${method}`;
};

export const nameOfAnswer = (value: unknown): string => {
  const kind = (value as { kind?: string } | undefined)?.kind;
  return kind === 'refused' ? ' → REFUSED' : kind ? ` → ${kind}` : '';
};
