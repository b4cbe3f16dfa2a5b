import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/** Empty: its value is put there by people, and no deploy reads or changes it. */
export const createSecret = (scope: Construct, keepData: boolean): CfnSecret => {
  const { stackName } = Stack.of(scope);
  const secret = new CfnSecret(scope, 'Secret', {
    name: stackName,
    description: `Keys and addresses of ${stackName}, by the names of the environment (docs/deploy.md)`,
  });
  // Its name is fixed, so what a first deploy leaves behind when it fails would stand in the way of the second.
  secret.applyRemovalPolicy(
    keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  );
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'The keys are given out by consoles that have no rotation API. People rotate them, without loss, by a list "new,old".',
  });
  return secret;
};
