import type { Ask, Decision, Task } from '#domain/ask.ts';
import { bindingOfAsk, bindingOfCall } from '#domain/binding.ts';
import { askId, jobName, messageId, personId, sessionId, turnId } from '#domain/ids.ts';
import type { Turn } from '#domain/session.ts';

/** People, a chat and a question to start from; each test says what it changes. */
export const session = sessionId({ channel: 'feishu', app: 'cli_a', chat: 'oc_1' });
export const alice = personId('feishu', 'ou_alice');
export const bob = personId('feishu', 'ou_bob');
export const carol = personId('feishu', 'ou_carol');

export const aTurn = (sequence = 1, change: Partial<Turn> = {}): Turn => ({
  id: turnId(String(sequence)),
  message: messageId(`om_${sequence}`),
  job: jobName.message(messageId(`om_${sequence}`)),
  part: 0,
  requester: alice,
  to: { channel: 'feishu', app: 'cli_a', chat: 'oc_1', group: true },
  ...change,
});

export const aTask = (change: Partial<Task> = {}): Task => ({
  call: 0,
  tool: 'data_modify',
  risk: 'HIGH',
  binding: bindingOfCall({ tool: 'data_modify', input: { sql: 'DELETE FROM t' } }),
  may: [alice],
  not: [],
  ...change,
});

export const anAsk = (change: Partial<Ask> = {}): Ask => {
  const { turn = aTurn().id, nth = 1 } = change;
  return {
    id: askId(session, turn, nth),
    kind: 'confirm',
    number: nth,
    nth,
    round: 1,
    step: 1,
    turn,
    state: 'open',
    openedAt: 0,
    expiresAt: 300_000,
    binding: bindingOfAsk([{ tool: 'data_modify', input: { sql: 'DELETE FROM t' } }]),
    tasks: [aTask()],
    requester: alice,
    shown: [],
    details: { kind: 'inline', text: '[]' },
    ...change,
  };
};

export const aDecision = (change: Partial<Decision> = {}): Decision => ({
  id: 'evt_1',
  kind: 'confirm',
  by: alice,
  at: 1_000,
  via: 'click',
  ...change,
});
