import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Action by action: no `*`, and no ready-made grant that brings more than is used. */
export const allow = (actions: readonly string[], resource: string): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [resource] });

/** Stands against every grant, also one that is added later. */
export const deny = (
  actions: readonly string[],
  resource: string,
  conditions: Record<string, unknown>,
): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.DENY,
    actions: [...actions],
    resources: [resource],
    conditions,
  });
