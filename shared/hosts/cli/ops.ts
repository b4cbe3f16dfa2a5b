import { parseArgs } from 'node:util';
import { asks } from './ops/asks.ts';
import { audit } from './ops/audit.ts';
import { dingtalkRegister } from './ops/dingtalk-register.ts';
import { doctor } from './ops/doctor.ts';
import { failed } from './ops/failed.ts';
import { forget } from './ops/forget.ts';
import { policy } from './ops/policy.ts';
import { printed } from './ops/print.ts';
import { redrive } from './ops/redrive.ts';
import { openDeployed, openLocal } from './ops/target.ts';
import { turns } from './ops/turns.ts';
import type { Verb } from './ops/verb.ts';

const VERBS: Readonly<Record<string, Verb>> = {
  doctor,
  asks,
  turns,
  failed,
  redrive,
  forget,
  audit,
  policy,
  'dingtalk-register': dingtalkRegister,
};
const text = { type: 'string' } as const;
const options = {
  env: text,
  session: text,
  url: text,
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [name = '', ...words] = positionals;
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (!verb)
    throw new Error(
      `${name === '' ? 'no verb is given' : `${name} is no verb`}: npm run ops -- <${Object.keys(VERBS).join(' | ')}> [--env <name>] [--json]`,
    );
  const { env, session, url, force, json } = values;
  if (env !== undefined && !/^[A-Za-z][A-Za-z0-9-]*$/.test(env))
    throw new Error(
      `--env ${JSON.stringify(env)} is no environment's name: expected one such as dev`,
    );
  const { env: environment } = process;
  const target = () => (env === undefined ? openLocal(environment) : openDeployed(env));
  const answer = await verb({ words, env, session, url, force, environment, target });
  process.stdout.write(printed(answer, json));
  return answer.wrong ? 1 : 0;
};

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`ops: ${error.message.replaceAll(/\s+/g, ' ')}\n`);
    process.exit(1);
  },
);
