import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '#adapters/memory/store.ts';
import type { JsonObject } from '#domain/canonical-json.ts';
import { readMessage } from '#domain/conversation.ts';
import { modelMessages } from '#flow/rows.ts';
import { promptOf } from '#models/ai-sdk/prompt.ts';
import { readTrace, saveTrace } from '#models/ai-sdk/trace.ts';

/** Turns that version 1 saved under each family, as the model that goes on with them reads them today. */
const V1 = new URL('../../fixtures/continuations/v1/', import.meta.url);
const LONG = 'the long result';

const open = async (name: string) => {
  const { messages } = JSON.parse(readFileSync(new URL(`${name}.json`, V1), 'utf8')) as {
    messages: readonly JsonObject[];
  };
  const store = createMemoryStore();
  const fetch: typeof store.fetch = async (kept) => (kept.kind === 'inline' ? kept.text : LONG);
  return modelMessages({ ...store, fetch }, messages.map(readMessage));
};

const CLAUDE = { family: 'anthropic', model: 'claude-sonnet-4-5' } as const;
const KIMI = { family: 'openai-compatible', model: 'kimi-k2-thinking' } as const;
const QWEN = { family: 'openai-compatible', model: 'qwen3-max' } as const;

describe('a turn that version 1 suspended', () => {
  it('gives signed thinking back to the model that signed it, in its place and untouched', async () => {
    const prompt = promptOf('', await open('confirm-open-anthropic-thinking'), CLAUDE, 'saved');
    expect(prompt.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'tool',
      'tool',
    ]);
    expect(prompt[1]?.content).toEqual([
      {
        type: 'reasoning',
        text: '先看订单，再看历史…\nBoth are reads, so they can go together.',
        providerOptions: {
          anthropic: { signature: 'FW26wlwuMcPY5ROhF9vqFBYLex1uvwIaLMqEZrh9Qjw=' },
        },
      },
      { type: 'text', text: '我先看一下。' },
      {
        type: 'tool-call',
        toolCallId: 'toolu_01A09q90qw90lq917835lq9',
        toolName: 'look',
        input: { orderId: 'o1' },
      },
      {
        type: 'tool-call',
        toolCallId: 'toolu_01Bx7FqZ2mVtC3pWn8kLdYhR',
        toolName: 'history',
        input: { orderId: 'o1' },
      },
    ]);
    expect(prompt[3]?.content).toMatchObject([
      { toolCallId: 'toolu_01Bx7FqZ2mVtC3pWn8kLdYhR', output: { type: 'text', value: LONG } },
    ]);
  });

  it('gives reasoning content and the ids of Kimi back to it', async () => {
    const prompt = promptOf('', await open('confirm-open-reasoning-content'), KIMI, 'saved');
    expect(prompt[4]?.content).toEqual([
      { type: 'reasoning', text: '已付款，可以退。' },
      { type: 'text', text: '可以退款。' },
      expect.objectContaining({ toolCallId: 'functions.refund:2', toolName: 'refund' }),
      expect.objectContaining({ toolCallId: 'functions.data.query:3', toolName: 'data.query' }),
    ]);
  });

  it('gives ids that repeat from step to step back to the server that repeats them', async () => {
    const prompt = promptOf('', await open('confirm-open-plain-calls'), QWEN, 'saved');
    const ids = JSON.stringify(prompt).match(/"toolCallId":"[^"]+"/g);
    expect(ids?.map((id) => id.slice(14, -1))).toEqual([
      'call_0',
      'call_0',
      'call_0',
      'call_1',
      'call_0',
      'call_1',
    ]);
  });

  it.each([
    ['confirm-open-reasoning-content', CLAUDE],
    ['confirm-open-plain-calls', CLAUDE],
    ['confirm-open-anthropic-thinking', KIMI],
    ['running-signed-thinking', CLAUDE],
    ['every-outcome', CLAUDE],
  ] as const)('%s reads as any other to %j', async (name, author) => {
    const prompt = promptOf('', await open(name), author, 'saved');
    expect(JSON.stringify(prompt)).not.toContain('"reasoning"');
    const ids = (type: string) =>
      prompt.flatMap(({ content }) =>
        typeof content === 'string'
          ? []
          : content.flatMap((part) =>
              part.type === type && 'toolCallId' in part ? [part.toolCallId] : [],
            ),
      );
    const asked = ids('tool-call');
    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked).size).toBe(asked.length);
    expect(ids('tool-result').sort()).toEqual(asked.sort());
    for (const id of asked) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
  });
});

describe('what is saved of a step', () => {
  const long = '思'.repeat(60_000);
  it('keeps the step, not its reasoning, when a row could not hold both', () => {
    expect(saveTrace(KIMI, [{ reasoning: long }, { call: 0 }])).toEqual(KIMI);
    expect(saveTrace(KIMI, [{ reasoning: 'short' }, { call: 0 }])).toMatchObject({
      parts: [{ reasoning: 'short' }, { call: 0 }],
    });
  });

  it('says no more than who said it where the order says itself', () => {
    expect(saveTrace(QWEN, [{ text: 5 }, { call: 0 }, { call: 1 }])).toEqual(QWEN);
  });

  it('takes what it did not write for nothing', () => {
    for (const provider of [undefined, null, 'x', 1, [], {}, { family: 'anthropic' }])
      expect(readTrace(provider)).toBeUndefined();
  });
});
