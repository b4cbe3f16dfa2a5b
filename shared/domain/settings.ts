import * as z from 'zod/mini';

const seconds = (least: number, most: number) => z.int().check(z.gte(least), z.lte(most));
const THIRTEEN_DAYS = 1_123_200;

const person = z.string().check(z.regex(/^[a-z]+:.+/, 'a person is written channel:id'));
const approvers = z.union([
  z.enum(['requester', 'anyone', 'other-than-requester']),
  z.array(person).check(z.minLength(1)),
]);
/** Ids of chats have digits or signs in them; a lone word is one of ours, misspelt. */
const deliverTo = z
  .string()
  .check(
    z.regex(/^(?:chat|approvers|.*[^a-zA-Z].*)$/, 'expected chat, approvers or the id of a chat'),
  );
const risk = z.enum(['LOW', 'MEDIUM', 'HIGH']);

const toolOverride = z.pipe(
  z.union([
    z.boolean(),
    z.strictObject({
      requiresApproval: z.optional(z.boolean()),
      risk: z.optional(risk),
      approvers: z.optional(approvers),
      timeoutSeconds: z.optional(seconds(1, THIRTEEN_DAYS)),
    }),
  ]),
  z.transform((value) => (typeof value === 'boolean' ? { requiresApproval: value } : value)),
);

const approval = z.strictObject({
  enabled: z._default(z.boolean(), true),
  strictMode: z._default(z.boolean(), false),
  timeoutSeconds: z._default(seconds(1, THIRTEEN_DAYS), 300),
  memoryWindowSeconds: z._default(seconds(0, 86_400), 300),
  carryOutSeconds: z._default(seconds(1, 86_400), 900),
  maxRounds: z._default(z.int().check(z.gte(1), z.lte(10)), 3),
  approvers: z._default(approvers, 'requester'),
  otherReply: z._default(z.enum(['modify', 'cancel', 'queue', 'reask']), 'modify'),
  deliverTo: z._default(deliverTo, 'chat'),
  toolOverrides: z._default(z.record(z.string(), toolOverride), {}),
});

const agent = z.strictObject({
  systemPrompt: z._default(z.string(), ''),
  maxSteps: z._default(z.int().check(z.gte(1), z.lte(100)), 20),
  historyMessages: z._default(z.int().check(z.gte(0), z.lte(1000)), 40),
  contextTokens: z._default(z.int().check(z.gte(1000), z.lte(2_000_000)), 100_000),
  language: z._default(z.enum(['zh-CN', 'en']), 'zh-CN'),
  groupSessions: z._default(z.enum(['chat', 'person']), 'chat'),
});

const schema = z.strictObject({
  approval: z.prefault(approval, {}),
  agent: z.prefault(agent, {}),
  access: z.prefault(
    z.strictObject({
      admins: z._default(z.array(person), []),
      // Not built yet: a list that keeps nobody out would be worse than none.
      chats: z._default(z.strictObject({}), {}),
      people: z._default(z.literal('anyone'), 'anyone'),
    }),
    {},
  ),
  limits: z.prefault(
    z.strictObject({
      turnsPerPersonPerHour: z._default(z.nullable(z.int().check(z.gte(1))), null),
      tokensPerDay: z._default(z.nullable(z.int().check(z.gte(1))), null),
    }),
    {},
  ),
  retention: z.prefault(
    z.strictObject({
      messagesDays: z._default(z.int().check(z.gte(1)), 30),
      eventsHours: z._default(z.int().check(z.gte(1)), 24),
      auditDays: z._default(z.int().check(z.gte(1)), 400),
    }),
    {},
  ),
  api: z.prefault(z.strictObject({ allowedOrigins: z._default(z.array(z.string()), []) }), {}),
  tools: z._default(z.record(z.string(), z.unknown()), {}),
  mcp: z._default(z.record(z.string(), z.unknown()), {}),
});

export type Settings = z.infer<typeof schema>;
export type Approvers = z.infer<typeof approvers>;
export type Risk = z.infer<typeof risk>;
export type ToolOverride = NonNullable<Settings['approval']['toolOverrides'][string]>;
export type Language = Settings['agent']['language'];

export type ReadSettings =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 80);

/** One line per problem: the key, the value that stands there, and what was expected. */
export const readSettings = (input: unknown): ReadSettings => {
  const parsed = z.safeParse(schema, input, { reportInput: true });
  if (parsed.success) return { kind: 'settings', settings: parsed.data };
  const problems = parsed.error.issues.flatMap((issue) => exactly(issue, []));
  return {
    kind: 'wrong',
    problems: problems.map(({ path, expected }) => {
      const found = path.reduce<unknown>(
        (node, key) => (node as Record<PropertyKey, unknown>)?.[key],
        input,
      );
      return `${path.join('.') || 'settings'} is ${shown(found)}: ${expected}`;
    }),
  };
};

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly expected: string;
}

/** Down to the key that is wrong: an unknown key itself, not its parent, and what is wrong inside one of two forms. */
const exactly = (issue: z.core.$ZodIssue, above: readonly PropertyKey[]): readonly Problem[] => {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], expected: 'unknown key' }));
  const meant =
    issue.code === 'invalid_union'
      ? issue.errors.find((form) => form.every((one) => one.path.length > 0))
      : undefined;
  return meant?.flatMap((one) => exactly(one, path)) ?? [{ path, expected: expectation(issue) }];
};

const expectation = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_value')
    return `expected one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_type') return `expected ${issue.expected}`;
  if (issue.code === 'too_small') return `expected at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `expected at most ${issue.maximum}`;
  if (issue.code === 'invalid_union') return `expected ${alternatives(issue.errors)}`;
  return issue.message;
};

const alternatives = (errors: readonly (readonly z.core.$ZodIssue[])[]): string =>
  errors
    .map((issues) =>
      issues.map((issue) => expectation(issue).replace(/^expected /, '')).join(' and '),
    )
    .join(', or ');
