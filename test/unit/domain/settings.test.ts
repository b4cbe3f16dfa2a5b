import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSettings } from '#domain/settings.ts';

const settingsOf = (input: unknown) => {
  const read = readSettings(input);
  if (read.kind === 'wrong') throw new Error(read.problems.join('\n'));
  return read.settings;
};
const problemsOf = (input: unknown) => {
  const read = readSettings(input);
  return read.kind === 'wrong' ? read.problems : [];
};
/** `nested('a.b', 1)` is `{ a: { b: 1 } }`. */
const nested = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight((inner, key) => ({ [key]: inner }), value);

describe('docs/settings.md', () => {
  const guide = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');

  it('names every key, with its default where it has a row', () => {
    for (const [part, value] of Object.entries(settingsOf({}))) {
      expect(guide).toContain(`\`${part}\``);
      for (const [key, standing] of Object.entries(value)) {
        expect(guide, `${part}.${key}`).toContain(`\`${key}\``);
        const [, told] = new RegExp(`^\\| \`${key}\` \\| (.*?) \\|`, 'm').exec(guide) ?? [];
        if (told !== undefined) expect(JSON.parse(told.replaceAll('`', ''))).toEqual(standing);
      }
    }
  });

  it('has an example that is taken', () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(guide) ?? [];
    expect(problemsOf(JSON.parse(example))).toEqual([]);
  });
});

describe('settings', () => {
  it('have a default for every key', () => {
    expect(settingsOf({})).toEqual({
      approval: {
        enabled: true,
        strictMode: false,
        timeoutSeconds: 300,
        memoryWindowSeconds: 300,
        carryOutSeconds: 900,
        maxRounds: 3,
        approvers: 'requester',
        otherReply: 'modify',
        deliverTo: 'chat',
        toolOverrides: {},
      },
      agent: {
        systemPrompt: '',
        maxSteps: 20,
        historyMessages: 40,
        contextTokens: 100_000,
        language: 'zh-CN',
        groupSessions: 'chat',
      },
      access: { admins: [], chats: {}, people: 'anyone' },
      limits: { turnsPerPersonPerHour: null, tokensPerDay: null },
      retention: { messagesDays: 30, eventsHours: 24, auditDays: 400 },
      api: { allowedOrigins: [] },
      tools: {},
      mcp: {},
    });
  });

  it('keep their defaults beside a key that is set', () => {
    const { approval, agent } = settingsOf({ approval: { strictMode: true } });
    expect(approval).toMatchObject({ strictMode: true, enabled: true, timeoutSeconds: 300 });
    expect(agent.maxSteps).toBe(20);
  });

  it('read a bare boolean for a tool as requiresApproval', () => {
    const full = {
      requiresApproval: true,
      risk: 'HIGH',
      approvers: ['feishu:ou_1'],
      timeoutSeconds: 3600,
    };
    const { toolOverrides } = settingsOf({
      approval: { toolOverrides: { write_note: false, delete_file: true, data_modify: full } },
    }).approval;
    expect(toolOverrides).toEqual({
      write_note: { requiresApproval: false },
      delete_file: { requiresApproval: true },
      data_modify: full,
    });
  });

  it('take the example of the contract', () => {
    expect(
      problemsOf({
        approval: {
          approvers: ['feishu:ou_1', 'dingtalk:staff 1'],
          otherReply: 'reask',
          deliverTo: 'oc_9',
        },
        limits: { turnsPerPersonPerHour: 60, tokensPerDay: null },
        tools: { http: { allow: ['https://api.example.com/'] } },
        mcp: {
          servers: {
            jira: { url: 'https://example.com/mcp', headers: { Authorization: 'env:JIRA_TOKEN' } },
          },
        },
      }),
    ).toEqual([]);
  });

  it.each([
    ['approval.timeoutSeconds', 1, 1_123_200],
    ['approval.memoryWindowSeconds', 0, 86_400],
    ['approval.carryOutSeconds', 1, 86_400],
    ['approval.maxRounds', 1, 10],
    ['approval.toolOverrides.t.timeoutSeconds', 1, 1_123_200],
    ['agent.maxSteps', 1, 100],
    ['agent.historyMessages', 0, 1000],
  ])('bound %s to %d … %d', (key, least, most) => {
    for (const value of [least, most]) expect(problemsOf(nested(key, value))).toEqual([]);
    expect(problemsOf(nested(key, least - 1))).toEqual([
      `${key} is ${least - 1}: expected at least ${least}`,
    ]);
    expect(problemsOf(nested(key, most + 1))).toEqual([
      `${key} is ${most + 1}: expected at most ${most}`,
    ]);
    expect(problemsOf(nested(key, least + 0.5))).toEqual([
      `${key} is ${least + 0.5}: expected int`,
    ]);
  });

  it.each<[string, unknown, string]>([
    ['approval.enabled', 'yes', 'expected boolean'],
    ['approval.strictMode', 1, 'expected boolean'],
    ['approval.timeoutSeconds', '300', 'expected number'],
    [
      'approval.approvers',
      'boss',
      'expected one of requester, anyone, other-than-requester, or array',
    ],
    ['approval.approvers', [], 'expected at least 1'],
    ['approval.otherReply', 'ignore', 'expected one of modify, cancel, queue, reask'],
    ['approval.deliverTo', '', 'expected chat, approvers or the id of a chat'],
    ['approval.deliverTo', 'aprovers', 'expected chat, approvers or the id of a chat'],
    ['approval.toolOverrides.t', 'no', 'expected boolean, or object'],
    ['approval.toolOverrides.t.risk', 'EXTREME', 'expected one of LOW, MEDIUM, HIGH'],
    ['approval.toolOverrides.t.requiresApproval', 'no', 'expected boolean'],
    ['agent.systemPrompt', 7, 'expected string'],
    ['agent.language', 'fr', 'expected one of zh-CN, en'],
    ['agent.groupSessions', 'thread', 'expected one of chat, person'],
    ['access.admins', 'me', 'expected array'],
    ['access.people', ['feishu:ou_1'], 'expected one of anyone'],
    ['access.chats.oc_1', {}, 'unknown key'],
    ['limits.turnsPerPersonPerHour', 0, 'expected at least 1'],
    ['limits.tokensPerDay', -1, 'expected at least 1'],
    ['retention.messagesDays', 0, 'expected at least 1'],
    ['retention.eventsHours', 0, 'expected at least 1'],
    ['retention.auditDays', 0, 'expected at least 1'],
    ['api.allowedOrigins', '*', 'expected array'],
    ['tools', [], 'expected record'],
    ['mcp', 3, 'expected record'],
    ['approval', null, 'expected object'],
    ['aproval', { enabled: false }, 'unknown key'],
    ['approval.enabledd', true, 'unknown key'],
    ['approval.toolOverrides.t.riks', 'HIGH', 'unknown key'],
  ])('say of %s = %j: %s', (key, value, expected) => {
    expect(problemsOf(nested(key, value))).toEqual([
      `${key} is ${JSON.stringify(value)}: ${expected}`,
    ]);
  });

  it('say which person of a list is not one', () => {
    expect(problemsOf({ approval: { approvers: ['feishu:ou_1', 'alice'] } })).toEqual([
      'approval.approvers.1 is "alice": a person is written channel:id',
    ]);
    expect(problemsOf({ access: { admins: ['ou_1'] } })).toEqual([
      'access.admins.0 is "ou_1": a person is written channel:id',
    ]);
  });

  it('name every problem at once, each on one short line', () => {
    const long = 'x'.repeat(500);
    const problems = problemsOf({
      approval: { maxRounds: 0, otherReply: long },
      agent: { language: 'de' },
    });
    expect(problems).toHaveLength(3);
    for (const problem of problems) expect(problem.length).toBeLessThan(200);
  });

  it.each([undefined, null, 7, 'approval', []])('are an object, not %j', (input) => {
    expect(problemsOf(input)).toEqual([`settings is ${JSON.stringify(input)}: expected object`]);
  });
});
