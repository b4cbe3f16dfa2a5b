import { Stack, Token, Validations } from 'aws-cdk-lib';
import {
  PolicyDocument,
  type PolicyStatement,
  PrincipalWithConditions,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { allow } from './allow.ts';

export interface Timers {
  readonly group: string;
  readonly role: Role;
  /** To set timers one also hands over the role they run under. */
  readonly mayCreate: readonly PolicyStatement[];
  readonly mayDelete: PolicyStatement;
  /** Why whoever may do either may do it to any schedule of the group. */
  explain(holder: Role): void;
}

/**
 * Schedules are made at run time and outlive a deploy: they go on naming this role and the timeout function. Renaming
 * either would leave the timers of open asks with nobody to call.
 */
export const createTimers = (
  scope: Construct,
  { timeoutArn, undelivered }: { readonly timeoutArn: string; readonly undelivered: Queue },
): Timers => {
  const stack = Stack.of(scope);
  const group = stack.stackName;
  new CfnScheduleGroup(scope, 'Timers', { name: group });
  const role = new Role(scope, 'TimerRole', {
    assumedBy: new PrincipalWithConditions(new ServicePrincipal('scheduler.amazonaws.com'), {
      // Only for schedules of this group: nobody else's may borrow the role.
      StringEquals: {
        'aws:SourceAccount': stack.account,
        'aws:SourceArn': stack.formatArn({
          service: 'scheduler',
          resource: 'schedule-group',
          resourceName: group,
        }),
      },
    }),
    inlinePolicies: {
      Timers: new PolicyDocument({
        statements: [
          allow(['lambda:InvokeFunction'], timeoutArn),
          allow(['sqs:SendMessage'], undelivered.queueArn),
        ],
      }),
    },
  });
  const schedules = stack.formatArn({
    service: 'scheduler',
    resource: 'schedule',
    resourceName: `${group}/*`,
  });
  const mayPass = allow(['iam:PassRole'], role.roleArn);
  mayPass.addCondition('StringEquals', { 'iam:PassedToService': 'scheduler.amazonaws.com' });
  return {
    group,
    role,
    mayCreate: [allow(['scheduler:CreateSchedule'], schedules), mayPass],
    mayDelete: allow(['scheduler:DeleteSchedule'], schedules),
    explain: (holder) =>
      Validations.of(holder).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${asReported(stack)}:schedule/${group}/*]`,
        reason: 'Schedules are named by the asks they belong to; the group is this stack alone.',
      }),
  };
};

/** How the check writes an ARN whose parts are only known when it is deployed. */
const asReported = ({ partition, region, account }: Stack): string => {
  const part = (value: string, name: string) =>
    Token.isUnresolved(value) ? `<AWS::${name}>` : value;
  return `arn:${part(partition, 'Partition')}:scheduler:${part(region, 'Region')}:${part(account, 'AccountId')}`;
};
