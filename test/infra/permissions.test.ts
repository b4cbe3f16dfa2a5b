import { describe, expect, it } from 'vitest';
import { ofType, type Resource, readable, templateFor, VPC } from './given.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

interface Conditions {
  readonly StringEquals?: Readonly<Record<string, unknown>>;
}
interface Policy {
  readonly Principal: unknown;
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
const permissionsIn = (environment: string, changes: Parameters<typeof templateFor>[1] = {}) => {
  const template = templateFor(environment, changes);
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

/** All of it, in dev. Whoever adds a line here says in the code what needs it. */
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

/** Without an address of their own, network interfaces know no resource. */
const NETWORK = [
  'CreateNetworkInterface',
  'DescribeNetworkInterfaces',
  'DeleteNetworkInterface',
  'DescribeSubnets',
  'AssignPrivateIpAddresses',
  'UnassignPrivateIpAddresses',
].map((one) => `ec2:${one} on *`);
const IN_VPC = { memoryMb: 1024, timeoutSeconds: 240, maxConcurrency: 5, vpc: VPC };

const expectedIn = (environment: string, more: readonly string[]) =>
  Object.fromEntries(
    Object.entries(EXPECTED).map(([role, lines]) => [
      role,
      [...lines, ...(['AgentRole', 'DeadletterRole'].includes(role) ? more : [])]
        .map((line) => line.replaceAll('Countersign-dev', `Countersign-${environment}`))
        .sort(),
    ]),
  );

const CASES = [
  ['dev', {}, []],
  ['staging', {}, []],
  ['prod', {}, []],
  ['prod', { agent: IN_VPC }, NETWORK],
] as const;

describe.each(CASES)('permissions in %s %#', (environment, changes, more) => {
  const { granted, roles, template } = permissionsIn(environment, changes);

  it('are these and no more', () => {
    expect(granted).toEqual(expectedIn(environment, more));
    expect(Object.keys(roles).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it('come from no ready-made policy, of which nobody here knows what is in it', () => {
    for (const { Properties } of Object.values(roles))
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    expect(ofType(template, 'AWS::IAM::ManagedPolicy')).toEqual({});
  });

  it('are had by Lambda, and by schedules of this stack', () => {
    const trusted = Object.entries(roles).map(([id, { Properties }]) => {
      const document = Properties['AssumeRolePolicyDocument'] as { Statement: readonly object[] };
      return [id, document.Statement];
    });
    const trust = (service: string, more: object = {}) => [
      {
        Action: 'sts:AssumeRole',
        Effect: 'Allow',
        Principal: { Service: `${service}.amazonaws.com` },
        ...more,
      },
    ];
    const { TimerRole, ...functions } = Object.fromEntries(trusted);
    for (const statements of Object.values(functions)) expect(statements).toEqual(trust('lambda'));
    const [{ Condition = {} } = {}] = TimerRole as readonly [{ Condition?: Conditions }];
    expect(TimerRole).toEqual(trust('scheduler', { Condition }));
    const { 'aws:SourceArn': arn, ...others } = Condition.StringEquals ?? {};
    expect(Object.keys(Condition)).toEqual(['StringEquals']);
    expect(others).toEqual({ 'aws:SourceAccount': { Ref: 'AWS::AccountId' } });
    expect(readable(arn)).toMatch(new RegExp(`:schedule-group/Countersign-${environment}$`));
  });

  it('are given to the API for the webhook at its routes, and to nobody for anything else', () => {
    const callers = Object.values(ofType(template, 'AWS::Lambda::Permission')).map(
      ({ Properties: { SourceArn, ...given } }: Resource) => ({
        ...given,
        FunctionName: readable(given['FunctionName']),
        from: SourceArn && readable(SourceArn).replace(/^.*:/, ''),
      }),
    );
    const api = (path: string) => ({
      Action: 'lambda:InvokeFunction',
      FunctionName: 'Webhook',
      Principal: 'apigateway.amazonaws.com',
      from: `Api/*/*${path}`,
    });
    expect(callers.toSorted((a, b) => `${a.from}`.localeCompare(`${b.from}`))).toEqual([
      api('/healthz'),
      api('/webhook/{channel}'),
      api('/webhook/{channel}/{proxy+}'),
    ]);
  });

  it('on a queue are refused without TLS, and granted to nobody', () => {
    const policies = Object.values(ofType(template, 'AWS::SQS::QueuePolicy')).map(
      ({ Properties }) => ({
        on: (Properties['Queues'] as readonly unknown[]).map(readable),
        lines: (
          Properties['PolicyDocument'] as { Statement: readonly (Statement & Policy)[] }
        ).Statement.flatMap((one) => [`${JSON.stringify(one.Principal)}`, ...linesOf(one)]),
      }),
    );
    const noTls = (queue: string) => ({
      on: [queue],
      lines: ['{"AWS":"*"}', `Deny sqs:* on ${queue} if {"Bool":{"aws:SecureTransport":"false"}}`],
    });
    expect(policies.toSorted((a, b) => `${a.on}`.localeCompare(`${b.on}`))).toEqual(
      ['DeadLetters', 'Jobs', 'UndeliveredTimers'].map(noTls),
    );
  });

  it('are given by no other kind of policy', () => {
    const kinds = Object.values(
      template.toJSON()['Resources'] as Readonly<Record<string, Resource>>,
    ).map(({ Type }) => Type);
    const known = [
      'AWS::IAM::Role',
      'AWS::IAM::Policy',
      'AWS::Lambda::Permission',
      'AWS::SQS::QueuePolicy',
    ];
    expect(
      kinds.filter((kind) => /Polic|Permission|::IAM::|::Url$/.test(kind) && !known.includes(kind)),
    ).toEqual([]);
    // Tables and secrets may hold a policy of their own.
    expect(JSON.stringify(template.toJSON())).not.toMatch(/"ResourcePolicy"/);
  });
});

it('no permission is a wildcard action', () => {
  const lines = Object.values(EXPECTED).flat();
  expect(lines.length).toBeGreaterThan(30);
  expect(lines.filter((line) => /^(?:Deny )?\S*\*/.test(line))).toEqual([]);
});
