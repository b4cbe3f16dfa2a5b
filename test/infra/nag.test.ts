import { type App, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import type { EnvironmentSettings } from '../../infra/environments.ts';
import { newApp, stackFor, VPC } from './given.ts';

const synthesise = (app: App) => () => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
};

const everything: Partial<EnvironmentSettings> = {
  account: '123456789012',
  region: 'eu-west-1',
  agent: {
    memoryMb: 1024,
    timeoutSeconds: 120,
    maxConcurrency: 5,
    vpc: VPC,
  },
  domain: { name: 'bot.example.com', certificateArn: 'arn:aws:acm:eu-west-1:1:certificate/a' },
  alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:operators',
};

describe('cdk-nag, AwsSolutions', () => {
  it.each([
    ['dev', {}],
    ['staging', {}],
    ['prod', {}],
    ['prod', everything],
  ])('has nothing to say about %s %#', (environment, changes) => {
    const app = newApp();
    stackFor(environment, changes, app);
    expect(synthesise(app)).not.toThrow();
  });

  it('would have: a queue anybody may read without TLS is found', () => {
    const app = newApp();
    new Queue(stackFor('dev', {}, app), 'Open');
    expect(synthesise(app)).toThrow('AwsSolutions-SQS4');
  });
});
