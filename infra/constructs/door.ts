import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { EnvironmentSettings } from '../environments.ts';

export interface Door {
  readonly api: HttpApi;
  /** Without a slash at its end. */
  readonly url: string;
  /** What a domain's CNAME record has to point to. */
  readonly alias: string | undefined;
}

/** Never the path: DingTalk's holds a secret. */
const LOGGED = JSON.stringify({
  time: '$context.requestTime',
  route: '$context.routeKey',
  status: '$context.status',
  ms: '$context.responseLatency',
  bytes: '$context.responseLength',
  id: '$context.requestId',
  error: '$context.integrationErrorMessage',
});

/** Far above what platforms send; what is refused here costs nothing, and platforms deliver again. */
const RATE = { rateLimit: 100, burstLimit: 200 };

export const createDoor = (
  scope: Construct,
  { domain, logDays }: EnvironmentSettings,
  webhook: IFunction,
): Door => {
  const api = new HttpApi(scope, 'Api', { createDefaultStage: false });
  const logs = new LogGroup(scope, 'ApiLogs', {
    // API Gateway may write under this prefix without a policy of its own, of which an account has ten.
    logGroupName: `/aws/vendedlogs/${Stack.of(scope).stackName}-api`,
    retention: logDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const stage = new HttpStage(scope, 'Stage', {
    httpApi: api,
    autoDeploy: true,
    throttle: RATE,
    accessLogSettings: {
      destination: new LogGroupLogDestination(logs),
      format: AccessLogFormat.custom(LOGGED),
    },
  });
  const integration = new HttpLambdaIntegration('Webhook', webhook);
  const routes = [
    [HttpMethod.POST, '/webhook/{channel}'],
    [HttpMethod.POST, '/webhook/{channel}/{proxy+}'],
    [HttpMethod.GET, '/healthz'],
  ] as const;
  for (const [method, path] of routes) api.addRoutes({ path, methods: [method], integration });
  Validations.of(api).acknowledge({
    id: 'AwsSolutions-APIG4',
    reason:
      'Chat platforms cannot sign for an authorizer: the function verifies signature, token or path secret over the raw bytes. /healthz tells nothing.',
  });
  if (!domain) return { api, url: api.apiEndpoint, alias: undefined };
  const domainName = new DomainName(scope, 'Domain', {
    domainName: domain.name,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', domain.certificateArn),
  });
  new ApiMapping(scope, 'DomainMapping', { api, domainName, stage });
  return { api, url: `https://${domain.name}`, alias: domainName.regionalDomainName };
};
