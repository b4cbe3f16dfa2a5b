import { describe, expect, it } from 'vitest';
import { ofType, plain, type Resource, readable, templateFor, VPC } from './given.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const list = <T>(value: T | readonly T[]): readonly T[] =>
  Array.isArray(value) ? value : [value as T];

const linesOf = ({ Effect, Action, Resource: on, Condition }: Statement): readonly string[] =>
  list(on).flatMap((one) =>
    list(Action).map((action) =>
      [
        ...(Effect === 'Allow' ? [] : [Effect]),
        action,
        'on',
        readable(one).replace(/^arn:AWS::Partition:(\w+):AWS::Region:AWS::AccountId:/, '$1:'),
        ...(Condition ? [`if ${JSON.stringify(Condition)}`] : []),
      ].join(' '),
    ),
  );

/** Everything a role may do, from wherever in the template it was given. */
const permissionsIn = (changes: Parameters<typeof templateFor>[1] = {}) => {
  const template = templateFor('dev', changes);
  const roles = ofType(template, 'AWS::IAM::Role');
  const granted: Record<string, string[]> = {};
  const grant = (role: string, document: unknown) => {
    const { Statement: statements } = document as { Statement: readonly Statement[] };
    granted[role] = [...(granted[role] ?? []), ...statements.flatMap(linesOf)].sort();
  };
  for (const [id, { Properties }] of Object.entries(roles))
    for (const { PolicyDocument } of (Properties['Policies'] ?? []) as {
      PolicyDocument: unknown;
    }[])
      grant(id, PolicyDocument);
  for (const { Properties } of Object.values(ofType(template, 'AWS::IAM::Policy')))
    for (const role of Properties['Roles'] as unknown[])
      grant(readable(role), Properties['PolicyDocument']);
  return { granted, roles, template };
};

const TRACES = ['xray:PutTelemetryRecords on *', 'xray:PutTraceSegments on *'];
const logsOf = (name: string) => [
  `logs:CreateLogStream on ${name}Logs`,
  `logs:PutLogEvents on ${name}Logs`,
];
const table = (...actions: readonly string[]) => actions.map((one) => `dynamodb:${one} on Table`);
const consume = (queue: string) =>
  ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((one) => `sqs:${one} on ${queue}`);
/** Against every grant: the audit is put once. */
const AUDIT = ['UpdateItem', 'DeleteItem', 'BatchWriteItem'].map(
  (one) =>
    `Deny dynamodb:${one} on Table if {"ForAnyValue:StringLike":{"dynamodb:LeadingKeys":["AUDIT#*"]}}`,
);
const sessionWork = table('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem');

/** All of it. Whoever adds a line here says in the code what needs it. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  WebhookRole: [
    ...TRACES,
    ...logsOf('Webhook'),
    ...AUDIT,
    ...table('GetItem', 'BatchGetItem', 'UpdateItem'),
    'sqs:SendMessage on Jobs',
    'secretsmanager:GetSecretValue on Secret',
  ],
  AgentRole: [
    ...TRACES,
    ...logsOf('Agent'),
    ...AUDIT,
    ...sessionWork,
    'sqs:SendMessage on Jobs',
    ...consume('Jobs'),
    'sqs:ChangeMessageVisibility on Jobs',
    'scheduler:CreateSchedule on scheduler:schedule/Countersign-dev/*',
    'iam:PassRole on TimerRole if {"StringEquals":{"iam:PassedToService":"scheduler.amazonaws.com"}}',
    'secretsmanager:GetSecretValue on Secret',
  ],
  TimeoutRole: [
    ...TRACES,
    ...logsOf('Timeout'),
    ...AUDIT,
    ...table('GetItem', 'UpdateItem'),
    'sqs:SendMessage on Jobs',
    ...consume('UndeliveredTimers'),
    'sqs:SendMessage on UndeliveredTimers',
    'scheduler:DeleteSchedule on scheduler:schedule/Countersign-dev/*',
  ],
  DeadletterRole: [
    ...TRACES,
    ...logsOf('Deadletter'),
    ...AUDIT,
    ...sessionWork,
    'sqs:SendMessage on Jobs',
    ...consume('DeadLetters'),
    'sqs:ChangeMessageVisibility on DeadLetters',
    'secretsmanager:GetSecretValue on Secret',
  ],
  TimerRole: [
    'lambda:InvokeFunction on lambda:function:Countersign-dev-timeout',
    'sqs:SendMessage on UndeliveredTimers',
  ],
};

const sorted = (lines: readonly string[]) => [...lines].sort();

describe('permissions', () => {
  it('are these and no more', () => {
    const { granted, roles } = permissionsIn();
    const expected = Object.entries(EXPECTED).map(([role, lines]) => [role, sorted(lines)]);
    expect(granted).toEqual(Object.fromEntries(expected));
    expect(Object.keys(roles).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it('come from no ready-made policy, of which nobody here knows what is in it', () => {
    const { roles } = permissionsIn();
    for (const { Properties } of Object.values(roles))
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
  });

  it('hold no wildcard action, also with everything switched on', () => {
    const agent = { memoryMb: 1024, timeoutSeconds: 240, maxConcurrency: 5, vpc: VPC };
    const { granted } = permissionsIn({ agent });
    const lines = Object.values(granted).flat();
    expect(lines.length).toBeGreaterThan(30);
    expect(lines.filter((line) => /^(?:Deny )?\S*\*/.test(line))).toEqual([]);
    const anywhere = lines.filter((line) => line.endsWith(' on *') && !TRACES.includes(line));
    expect(anywhere.every((line) => line.startsWith('ec2:'))).toBe(true);
    expect(anywhere).toHaveLength(12);
  });

  it('let only schedules of this stack act as the timer role', () => {
    const { roles } = permissionsIn();
    const trust = roles['TimerRole']?.Properties['AssumeRolePolicyDocument'];
    const [statement] = (trust as { Statement: [Statement] }).Statement;
    expect(statement).toMatchObject({
      Principal: { Service: 'scheduler.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
    expect(JSON.stringify(statement.Condition)).toContain(':schedule-group/Countersign-dev');
  });

  it('let the API call the webhook, and nobody call anything else', () => {
    const { template } = permissionsIn();
    const callers = Object.values(ofType(template, 'AWS::Lambda::Permission')).map(
      ({ Properties }: Resource) =>
        `${Properties['Principal']} ${readable(Properties['FunctionName'])}`,
    );
    expect([...new Set(callers)].map(plain)).toEqual(['apigateway.amazonaws.com Webhook']);
  });
});
