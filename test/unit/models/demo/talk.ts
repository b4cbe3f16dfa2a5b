import type { JsonObject } from '#domain/canonical-json.ts';
import type { Outcome, ToolCall } from '#domain/conversation.ts';
import { resultText } from '#domain/texts.ts';
import { createDemoModel } from '#models/demo/demo-model.ts';
import type { ModelMessage, Thought } from '#ports/model.ts';

/** Tables by name, each with its columns as `name: type`; a `!` behind the type means NOT NULL. */
export type Tables = Readonly<Record<string, { rows: number; columns: Record<string, string> }>>;

export const SHOP: Tables = {
  customers: {
    rows: 400,
    columns: {
      id: 'integer!',
      name: 'text!',
      city: 'text',
      level: 'integer',
      created_at: 'timestamp with time zone!',
    },
  },
  orders: {
    rows: 3200,
    columns: {
      id: 'integer!',
      customer_id: 'integer!',
      product: 'text!',
      amount_fen: 'integer!',
      status: 'integer!',
      created_at: 'timestamp with time zone!',
    },
  },
};

/** Names that are awkward in Chinese sentences, in SQL, or among the words of the grammar. */
export const OFFICE: Tables = {
  user_accounts: {
    rows: 90,
    columns: {
      account_no: 'bigint!',
      email: 'character varying',
      active: 'boolean',
      order: 'integer',
      count: 'integer',
      last_login: 'date',
    },
  },
  bank_accounts: { rows: 12, columns: { iban: 'text!', balance: 'numeric' } },
  '"Tasks"': { rows: 5, columns: { Title: 'text', 'due date': 'date', done: 'boolean' } },
  'sales.invoices': { rows: 7, columns: { id: 'bigint!', total_cents: 'numeric(12,2)' } },
};

export const ALL_TOOLS = [
  'list_tables',
  'describe_table',
  'data_query',
  'data_modify',
  'write_note',
  'read_notes',
  'delete_notes',
  'ask_user',
];

export interface Reply {
  readonly outcome: Outcome;
  readonly text: string;
}
export const done = (result: JsonObject): Reply => ({
  outcome: 'done',
  text: JSON.stringify(result),
});
export const answered = (text: string): Reply => ({ outcome: 'answered', text });
export const settled = (outcome: Outcome, text?: string): Reply => ({
  outcome,
  text: resultText(outcome, { by: 'test:ann', text }),
});
export const revised = (feedback: string): Reply => settled('revised', feedback);

const learn = (tables: Tables, { tool, input }: ToolCall): Reply => {
  if (tool === 'list_tables')
    return done({ tables: Object.entries(tables).map(([name, { rows }]) => ({ name, rows })) });
  const table = tables[String(input['table'])];
  if (!table) return { outcome: 'failed', text: 'Failed: no such table' };
  const columns = Object.entries(table.columns).map(([name, type]) => ({
    name,
    type: type.replace('!', ''),
    nullable: !type.endsWith('!'),
  }));
  return done({ table: String(input['table']), columns });
};

/** One turn with the model: what it looks up is answered from `tables`, all else is left to the test. */
export const talk = (tables: Tables, text: string, tools: readonly string[] = ALL_TOOLS) => {
  const model = createDemoModel();
  const messages: ModelMessage[] = [{ role: 'user', text }];
  const offers = tools.map((name) => ({ name, description: name, input: {} }));
  const learned: ToolCall[] = [];

  const think = async (): Promise<Thought> => {
    for (let steps = 0; steps < 20; steps += 1) {
      const thought = await model.think({ system: '', messages, tools: offers, deadline: 0 });
      messages.push({ role: 'assistant', ...thought });
      const looksUp = thought.calls.every(({ id }) => id.startsWith('learn'));
      if (thought.calls.length === 0 || !looksUp) return thought;
      for (const call of thought.calls) {
        learned.push(call);
        messages.push({ role: 'result', call, ...learn(tables, call) });
      }
    }
    throw new Error(`the model goes on looking things up for ever: ${text}`);
  };

  return {
    messages,
    learned,
    think,
    /** The calls of the last step come back with these. */
    reply: (...replies: readonly Reply[]) => {
      const last = messages.findLast((message) => message.role === 'assistant');
      for (const [index, call] of (last?.calls ?? []).entries()) {
        const reply = replies[index] ?? replies.at(-1);
        if (reply) messages.push({ role: 'result', call, ...reply });
      }
      return think();
    },
    say: (next: string) => {
      messages.push({ role: 'user', text: next });
      return think();
    },
  };
};

/** What a step comes down to: the SQL or text of each call, or the words. */
export const gist = ({ calls, text }: Thought): readonly string[] =>
  calls.length === 0
    ? [text]
    : calls.map(({ tool, input }) => {
        const said = input['sql'] ?? input['text'] ?? input['table'] ?? input['prompt'];
        return said === undefined ? tool : `${tool}: ${said}`;
      });
