import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { SessionId } from '#domain/ids.ts';
import { Changed, changed, defineTool, type ToolContext } from '#ports/tool.ts';

const refundOrder = defineTool({
  description: 'Refund part or all of one paid order.',
  input: z.object({
    orderId: z.string().describe('as on the receipt'),
    amountFen: z.int().positive(),
    reason: z.string().default('none given'),
  }),
  risk: ({ amountFen }) => (amountFen > 10_000 ? 'HIGH' : 'LOW'),
  summary: ({ orderId }, language) => (language === 'en' ? `Refund ${orderId}` : `退款 ${orderId}`),
  run: async ({ orderId, amountFen }, { idempotencyKey, shown }) =>
    amountFen > 1_000_000
      ? changed('more than was shown')
      : { orderId, idempotencyKey, shown: shown ?? null },
  preview: async ({ orderId }) => `order ${orderId}`,
  recover: async (checkpoint) => ({ happened: true, result: checkpoint }),
});
const askUser = defineTool({
  description: 'Ask the person.',
  input: z.object({
    kind: z.enum(['input', 'choice']),
    prompt: z.string(),
    options: z.array(z.string()).default([]),
  }),
  question: ({ kind, prompt, options }) => ({ kind, prompt, options }),
});

const context: ToolContext = {
  idempotencyKey: 'k1',
  signal: new AbortController().signal,
  session: 'client:x:y' as SessionId,
  log: { info: () => {}, warn: () => {}, error: () => {} },
  language: 'en',
  resources: {},
  shown: 'order o1',
  checkpoint: async () => {},
};
const inputOf = (tool: typeof refundOrder, json: Parameters<typeof tool.parse>[0]) => {
  const parsed = tool.parse(json);
  if (parsed.kind === 'wrong') throw new Error(parsed.why);
  return parsed.input;
};

describe('a tool', () => {
  it('tells the model what to give, and what may be left out', () => {
    expect(refundOrder.schema).toMatchObject({
      type: 'object',
      properties: {
        orderId: { type: 'string', description: 'as on the receipt' },
        amountFen: { type: 'integer', exclusiveMinimum: 0 },
        reason: { type: 'string', default: 'none given' },
      },
      required: ['orderId', 'amountFen'],
    });
  });

  it('may turn its input into something else: the model is told what goes in', () => {
    const tool = defineTool({
      description: 'd',
      input: z.object({ day: z.string().transform((day) => new Date(day)) }),
      risk: 'LOW',
      run: async ({ day }) => day.getUTCFullYear(),
    });
    expect(tool.schema).toMatchObject({
      properties: { day: { type: 'string' } },
      required: ['day'],
    });
  });

  it('fills in defaults', () => {
    expect(refundOrder.parse({ orderId: 'o1', amountFen: 5 })).toEqual({
      kind: 'input',
      input: { orderId: 'o1', amountFen: 5, reason: 'none given' },
    });
  });

  it('says in words a model can follow what does not fit, and where', () => {
    const parsed = refundOrder.parse({ orderId: 7, amountFen: -1 });
    const why = parsed.kind === 'wrong' ? parsed.why : '';
    expect(why).toMatch(/expected string, received number\s+→ at orderId/);
    expect(why).toMatch(/>0\s+→ at amountFen/);
    for (const json of [null, [], 'text', 3, {}])
      expect(refundOrder.parse(json).kind).toBe('wrong');
  });

  it('has a risk that may depend on its input', () => {
    const risk = (amountFen: number) =>
      refundOrder.work?.risk(inputOf(refundOrder, { orderId: 'o1', amountFen }));
    expect([risk(10_000), risk(10_001)]).toEqual(['LOW', 'HIGH']);
    const fixed = defineTool({
      description: 'd',
      input: z.object({}),
      risk: 'MEDIUM',
      run: async () => null,
    });
    expect(fixed.work?.risk({})).toBe('MEDIUM');
  });

  it('runs with its key and what was shown, and says when it would be more than that', async () => {
    const run = (amountFen: number) =>
      refundOrder.work?.run(inputOf(refundOrder, { orderId: 'o1', amountFen }), context);
    expect(await run(1)).toEqual({ orderId: 'o1', idempotencyKey: 'k1', shown: 'order o1' });
    expect(await run(1_000_001)).toEqual(new Changed('more than was shown'));
  });

  it('previews, recovers and sums up in the language asked for', async () => {
    const input = inputOf(refundOrder, { orderId: 'o1', amountFen: 1 });
    expect(await refundOrder.work?.preview?.(input, context)).toBe('order o1');
    expect(await refundOrder.work?.recover?.('c', context)).toEqual({
      happened: true,
      result: 'c',
    });
    expect([refundOrder.summary(input, 'en'), refundOrder.summary(input, 'zh-CN')]).toEqual([
      'Refund o1',
      '退款 o1',
    ]);
  });

  it('is not idempotent, has a minute and asks whom the settings say, unless it says otherwise', () => {
    expect(refundOrder.work).toMatchObject({
      idempotent: false,
      timeoutSeconds: 60,
      approvers: undefined,
      askSeconds: undefined,
    });
    const said = {
      idempotent: true,
      timeoutSeconds: 5,
      approvers: 'anyone',
      askSeconds: 30,
    } as const;
    const tool = defineTool({
      description: 'd',
      input: z.object({}),
      risk: 'LOW',
      run: async () => null,
      ...said,
    });
    expect(tool.work).toMatchObject(said);
    expect(tool.question).toBeUndefined();
  });
});

describe('a tool that is a question', () => {
  it('has no work to run, so nothing to gate', () => {
    expect(askUser.work).toBeUndefined();
    expect(
      askUser.question?.(inputOf(askUser, { kind: 'choice', prompt: 'where?', options: ['a'] })),
    ).toEqual({
      kind: 'choice',
      prompt: 'where?',
      options: ['a'],
    });
    expect(askUser.summary({}, 'en')).toBeUndefined();
  });
});
