import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';

export const createTable = (scope: Construct, keepData: boolean): TableV2 =>
  new TableV2(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billing: Billing.onDemand(),
    timeToLiveAttribute: 'ttl',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: keepData,
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
