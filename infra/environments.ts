import * as z from 'zod';
import { checkToolNames, loadSettings } from '#hosts/load-settings.ts';
import { tools } from '#tools/index.ts';

/** A bot of its own: `npx cdk deploy -c env=<name>` makes the stack `Countersign-<name>`. Add yours, rename these. */
const ENVIRONMENTS: Readonly<Record<string, z.input<typeof schema>>> = {
  dev: { keepData: false, logDays: 7, agent: { maxConcurrency: 5 } },
  staging: { keepData: false, logDays: 30, agent: { maxConcurrency: 10 } },
  prod: { keepData: true, logDays: 365, agent: { maxConcurrency: 50 } },
};

const arn = (service: string) =>
  z.string().regex(new RegExp(`^arn:aws[\\w-]*:${service}:`), `expected an ARN of ${service}`);
const idLike = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), `expected ${prefix}-…`);

/** What CloudWatch Logs takes. */
const LOG_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731] as const;
const SHORTEST_ASK_SECONDS = 30;

const schema = z.strictObject({
  /** Where it may be deployed; without them, wherever the credentials lead. */
  account: z
    .string()
    .regex(/^\d{12}$/, 'expected 12 digits')
    .optional(),
  region: z.string().optional(),
  /** The bot's behaviour. Without it `countersign.config.json`, if there is one. */
  settings: z.string().optional(),
  /** The table outlives the stack, and cannot be deleted by mistake. */
  keepData: z.boolean(),
  logDays: z.literal(LOG_DAYS),
  agent: z.strictObject({
    memoryMb: z.int().min(512).max(10_240).default(1024),
    /** The queue hides a job a minute longer than that. */
    timeoutSeconds: z.int().min(30).max(240).default(240),
    /** Jobs at a time, so many model calls and database connections at most. */
    maxConcurrency: z.int().min(2).max(1000),
    /** Private subnets with a way out (NAT): the agent calls the platform and the model. */
    vpc: z
      .strictObject({
        /** For whoever reads it: Lambda finds the VPC by its subnets. */
        id: idLike('vpc'),
        subnets: z.array(idLike('subnet')).min(1),
        securityGroups: z.array(idLike('sg')).min(1),
      })
      .optional(),
  }),
  /** An address of your own, in place of the one API Gateway gives. */
  domain: z.strictObject({ name: z.string(), certificateArn: arn('acm') }).optional(),
  /** Who is told of alarms. */
  alarmTopicArn: arn('sns').optional(),
});

export type EnvironmentSettings = z.infer<typeof schema>;

export const environmentNamed = (
  name: unknown,
  environments = ENVIRONMENTS,
): EnvironmentSettings => {
  const known = Object.keys(environments).join(', ');
  if (typeof name !== 'string' || name === '')
    throw new Error(`which environment? Say -c env=<name>; infra/environments.ts has ${known}`);
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name))
    throw new Error(
      `the environment is called ${JSON.stringify(name)}: expected up to 20 of a–z, 0–9 and -, as it is part of every name`,
    );
  const parsed = schema.safeParse(
    Object.hasOwn(environments, name) ? environments[name] : unknown(name, known),
  );
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `infra/environments.ts: ${[name, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`,
  );
};

const unknown = (name: string, known: string): never => {
  throw new Error(`there is no environment ${name}; infra/environments.ts has ${known}`);
};

/** Checked now, not by the first message after the deploy. */
export const settingsText = async (file: string | undefined): Promise<string> => {
  const settings = await loadSettings(file);
  checkToolNames(settings, tools);
  const { timeoutSeconds, toolOverrides } = settings.approval;
  const lives = [
    ['approval.timeoutSeconds', timeoutSeconds] as const,
    ...Object.entries(toolOverrides).map(
      ([tool, one]) =>
        [`approval.toolOverrides.${tool}.timeoutSeconds`, one.timeoutSeconds] as const,
    ),
  ];
  for (const [key, seconds] of lives)
    if (seconds !== undefined && seconds < SHORTEST_ASK_SECONDS)
      throw new Error(
        `${key} is ${seconds}: expected at least ${SHORTEST_ASK_SECONDS} where it is deployed, as timers are precise to a minute`,
      );
  return `${JSON.stringify(settings, undefined, 2)}\n`;
};
