import { describe, expect, it } from 'vitest';
import { ofType, readable, templateFor, VPC } from './given.ts';

const dev = templateFor('dev');
const prod = templateFor('prod');
const properties = (template: typeof dev, type: string, id: string) =>
  ofType(template, type)[id]?.Properties ?? {};
const fn = (id: string) => properties(dev, 'AWS::Lambda::Function', id);
const queue = (id: string) => properties(dev, 'AWS::SQS::Queue', id);
const FUNCTIONS = ['Webhook', 'Agent', 'Timeout', 'Deadletter'];

describe('the queues', () => {
  it('hide a job a minute longer than its function may run', () => {
    expect(fn('Agent')['Timeout']).toBeLessThanOrEqual(240);
    expect(queue('Jobs')['VisibilityTimeout']).toBe(Number(fn('Agent')['Timeout']) + 60);
    expect(queue('DeadLetters')['VisibilityTimeout']).toBe(
      Number(fn('Deadletter')['Timeout']) + 60,
    );
    expect(queue('UndeliveredTimers')['VisibilityTimeout']).toBeGreaterThan(
      Number(fn('Timeout')['Timeout']),
    );
  });

  it('are FIFO with limits per session, but for the one where AWS takes only a standard queue', () => {
    const fifo = {
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    };
    expect(queue('Jobs')).toMatchObject(fifo);
    expect(queue('DeadLetters')).toMatchObject(fifo);
    expect(queue('UndeliveredTimers')).not.toHaveProperty('FifoQueue');
    const [failures] = Object.values(ofType(dev, 'AWS::Lambda::EventInvokeConfig'));
    expect(JSON.stringify(failures?.Properties['DestinationConfig'])).toContain(
      'UndeliveredTimers',
    );
  });

  it('give a job five tries', () => {
    expect(queue('Jobs')['RedrivePolicy']).toMatchObject({ maxReceiveCount: 5 });
    expect(JSON.stringify(queue('Jobs')['RedrivePolicy'])).toContain('DeadLetters');
  });
});

describe('the functions', () => {
  it('run on Node 24 and ARM, traced, with a log group that does not grow for ever', () => {
    for (const id of FUNCTIONS) {
      expect(fn(id)).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        TracingConfig: { Mode: 'Active' },
        FunctionName: `Countersign-dev-${id.toLowerCase()}`,
      });
      expect(properties(dev, 'AWS::Logs::LogGroup', `${id}Logs`)['RetentionInDays']).toBe(7);
      expect(JSON.stringify(fn(id)['LoggingConfig'])).toContain(`${id}Logs`);
    }
  });

  it('let only the two feed the queue that go round it: a job, and one that failed and lets the next in', () => {
    const loops = FUNCTIONS.filter((id) => fn(id)['RecursiveLoop'] === 'Allow');
    expect(loops).toEqual(['Agent', 'Deadletter']);
  });

  it('take one job at a time and reserve nothing, which fails in small accounts', () => {
    const sources = Object.values(ofType(dev, 'AWS::Lambda::EventSourceMapping'));
    const seen = sources.map(({ Properties }) => [
      readable(Properties['EventSourceArn']),
      readable(Properties['FunctionName']),
      (Properties['ScalingConfig'] as { MaximumConcurrency: number }).MaximumConcurrency,
    ]);
    expect(seen.sort()).toEqual([
      ['DeadLetters', 'Deadletter', 2],
      ['Jobs', 'Agent', 5],
      ['UndeliveredTimers', 'Timeout', 2],
    ]);
    for (const { Properties } of sources)
      expect(Properties).toMatchObject({
        BatchSize: 1,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
    for (const id of FUNCTIONS) expect(fn(id)).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it('know where the secret is, not what is in it, and only where they need it', () => {
    const named = FUNCTIONS.map((id) => {
      const { Variables } = fn(id)['Environment'] as { Variables: Record<string, unknown> };
      return [id, Object.keys(Variables).sort()] as const;
    });
    const front = ['COUNTERSIGN_CONFIG', 'QUEUE_URL'];
    const timing = [
      'SCHEDULE_DEAD_LETTER_ARN',
      'SCHEDULE_GROUP',
      'SCHEDULE_ROLE_ARN',
      'TABLE_NAME',
      'TIMEOUT_FUNCTION_ARN',
    ];
    expect(Object.fromEntries(named)).toEqual({
      Webhook: [...front, 'SECRET_ARN', 'TABLE_NAME'],
      Agent: [...front, 'SECRET_ARN', ...timing].sort(),
      Timeout: [...front, ...timing].sort(),
      Deadletter: [...front, 'DEAD_LETTER_QUEUE_URL', 'QUEUE_ARN', 'SECRET_ARN', ...timing].sort(),
    });
  });

  it('keep the names that schedules of an earlier release hold', () => {
    expect(Object.keys(dev.findResources('AWS::IAM::Role'))).toContain('TimerRoleBA368C44');
    expect(fn('Timeout')['FunctionName']).toBe('Countersign-dev-timeout');
    expect(properties(dev, 'AWS::Scheduler::ScheduleGroup', 'Timers')['Name']).toBe(
      'Countersign-dev',
    );
  });

  it('stand in a VPC only where one is named', () => {
    const agent = { memoryMb: 1024, timeoutSeconds: 240, maxConcurrency: 5, vpc: VPC };
    const inside = Object.entries(ofType(templateFor('dev', { agent }), 'AWS::Lambda::Function'))
      .filter(([, { Properties }]) => Properties['VpcConfig'])
      .map(([id, { Properties }]) => [id, Properties['VpcConfig']]);
    const place = { SubnetIds: VPC.subnets, SecurityGroupIds: VPC.securityGroups };
    expect(inside).toEqual([
      ['Agent', place],
      ['Deadletter', place],
    ]);
  });
});

describe('what is kept', () => {
  const tableOf = (template: typeof dev) => ofType(template, 'AWS::DynamoDB::GlobalTable')['Table'];
  const secretOf = (template: typeof dev) =>
    ofType(template, 'AWS::SecretsManager::Secret')['Secret'];

  it('is on demand, forgets by ttl and can be brought back', () => {
    expect(tableOf(dev)?.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
    });
  });

  it('has an index for operators, of nothing but keys', () => {
    expect(tableOf(dev)?.Properties['GlobalSecondaryIndexes']).toEqual([
      {
        IndexName: 'shards',
        KeySchema: [{ AttributeName: 'shard', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
  });

  it('outlives the stack in prod, and goes with it in dev', () => {
    expect(tableOf(prod)).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { Replicas: [{ DeletionProtectionEnabled: true }] },
    });
    // Made by a deploy that failed, its fixed name would let no later one through.
    expect(secretOf(prod)).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
    expect(tableOf(dev)).toMatchObject({
      DeletionPolicy: 'Delete',
      Properties: { Replicas: [{ DeletionProtectionEnabled: false }] },
    });
    expect(secretOf(dev)).toMatchObject({ DeletionPolicy: 'Delete' });
  });

  it('is no secret of the template', () => {
    expect(Object.keys(secretOf(dev)?.Properties ?? {}).sort()).toEqual(['Description', 'Name']);
  });
});

describe('the door', () => {
  it('has these routes', () => {
    const routes = Object.values(ofType(dev, 'AWS::ApiGatewayV2::Route'));
    expect(routes.map(({ Properties }) => Properties['RouteKey']).sort()).toEqual([
      'GET /healthz',
      'POST /webhook/{channel}',
      'POST /webhook/{channel}/{proxy+}',
    ]);
  });

  it('logs no path, in which DingTalk sends its secret', () => {
    const [stage] = Object.values(ofType(dev, 'AWS::ApiGatewayV2::Stage'));
    const logged = stage?.Properties['AccessLogSettings'];
    const { Format } = logged as { Format: string };
    expect(JSON.parse(Format)).toMatchObject({ route: '$context.routeKey' });
    expect(Format).not.toMatch(/\$context\.(?:path|protocol|httpMethod)|\$request/);
  });

  it('tells every address, and where it goes', () => {
    const outputs = dev.findOutputs('*');
    for (const name of ['FeishuUrl', 'DingTalkUrl', 'DingTalkCardUrl', 'HealthUrl', 'SecretName'])
      expect(String(outputs[name]?.['Description'])).toMatch(/\w{3,}/);
    for (const name of ['TableName', 'QueueUrl', 'DeadLetterQueueUrl', 'UndeliveredQueueUrl'])
      expect(String(outputs[name]?.['Description'])).toContain('npm run ops');
    expect(readable(outputs['FeishuUrl']?.['Value'])).toMatch(/\/webhook\/feishu$/);
  });

  it('tells where the dashboard is, in China too', () => {
    const { Value } = dev.findOutputs('DashboardUrl')['DashboardUrl'] ?? {};
    const host = { 'Fn::If': ['InChina', 'console.amazonaws.cn', 'console.aws.amazon.com'] };
    expect((Value as { 'Fn::Join': [string, unknown[]] })['Fn::Join'][1]).toContainEqual(host);
    expect(dev.findConditions('InChina')['InChina']).toEqual({
      'Fn::Equals': [{ Ref: 'AWS::Partition' }, 'aws-cn'],
    });
  });

  it('can have an address of its own', () => {
    const domain = {
      name: 'bot.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:1:certificate/a',
    };
    const outputs = templateFor('dev', { domain }).findOutputs('*');
    expect(outputs['FeishuUrl']?.['Value']).toBe('https://bot.example.com/webhook/feishu');
    expect(outputs).toHaveProperty('DomainAlias');
  });
});

describe('what is watched', () => {
  it('alarms at these thresholds', () => {
    const alarms = Object.values(ofType(dev, 'AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => [Properties['AlarmName'], Properties['Threshold']] as const,
    );
    expect(Object.fromEntries(alarms)).toEqual({
      'Countersign-dev-JobsFailed': 1,
      'Countersign-dev-PeopleNotTold': 1,
      'Countersign-dev-ModelUnusable': 1,
      'Countersign-dev-NotRead': 1,
      'Countersign-dev-DeadLettersWait': 1,
      'Countersign-dev-TimersUndelivered': 1,
      'Countersign-dev-JobsOld': 1800,
      'Countersign-dev-WebhookSlow': 1500,
      'Countersign-dev-DoorBroken': 1,
      'Countersign-dev-WebhookErrors': 1,
      'Countersign-dev-AgentErrors': 1,
      'Countersign-dev-TimeoutErrors': 3,
      'Countersign-dev-DeadletterErrors': 1,
      'Countersign-dev-WebhookThrottles': 1,
      'Countersign-dev-AgentThrottles': 1,
      'Countersign-dev-TimeoutThrottles': 1,
      'Countersign-dev-DeadletterThrottles': 1,
    });
  });

  it.each([
    ['DeadLettersWait', 'DeadLetters'],
    ['TimersUndelivered', 'UndeliveredTimers'],
  ])(
    '%s counts hidden messages too: one that is tried in vain is hardly ever visible',
    (id, of) => {
      const alarm = properties(dev, 'AWS::CloudWatch::Alarm', `${id}Alarm`);
      const [sum, ...parts] = alarm['Metrics'] as readonly [
        { readonly Expression: string; readonly ReturnData: boolean },
        ...{ readonly Id: string; readonly ReturnData: boolean; readonly MetricStat: unknown }[],
      ];
      const counted = (MetricName: string) => ({
        ReturnData: false,
        MetricStat: {
          Metric: {
            Namespace: 'AWS/SQS',
            MetricName,
            Dimensions: [{ Name: 'QueueName', Value: expect.anything() }],
          },
          // Of a longer period each would have a minimum, or an average, below one.
          Period: 60,
          Stat: 'Maximum',
        },
      });
      expect(parts).toMatchObject([
        counted('ApproximateNumberOfMessagesVisible'),
        counted('ApproximateNumberOfMessagesNotVisible'),
      ]);
      expect(JSON.stringify(parts).match(new RegExp(`"${of}[0-9A-F]{8}"`, 'g'))).toHaveLength(2);
      expect(sum).toMatchObject({
        Expression: parts.map(({ Id }) => Id).join(' + '),
        ReturnData: true,
      });
      expect(alarm).toMatchObject({ EvaluationPeriods: 15, Threshold: 1 });
      expect(alarm).not.toHaveProperty('DatapointsToAlarm');
    },
  );

  it('tells the topic that is named', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-west-1:123456789012:operators';
    const alarms = Object.values(
      ofType(templateFor('dev', { alarmTopicArn }), 'AWS::CloudWatch::Alarm'),
    );
    for (const { Properties } of alarms)
      expect(Properties['AlarmActions']).toEqual([alarmTopicArn]);
  });
});
