import { describe, expect, it } from 'vitest';
import { enterLocalCloud, hasOwnBot, readPort } from '#hosts/local/environment.ts';

const FEISHU = {
  FEISHU_APP_ID: 'cli_1',
  FEISHU_APP_SECRET: 'a-secret',
  FEISHU_ENCRYPT_KEY: 'a-key',
  FEISHU_VERIFICATION_TOKEN: 'a-token',
};

describe('the local environment', () => {
  it('has a port of its own unless one is given', () => {
    expect(readPort({})).toBe(3000);
    expect(readPort({ PORT: '' })).toBe(3000);
    expect(readPort({ PORT: '8080' })).toBe(8080);
  });

  it.each(['eighty', '-1', '65536', '80.5', ' 80'])(
    'refuses the port %j and says what it takes',
    (PORT) => {
      expect(() => readPort({ PORT })).toThrow(
        `PORT is ${PORT}: expected a number from 0 to 65535`,
      );
    },
  );

  it('takes the stand-in when nothing is set, or only to nothing', () => {
    expect(hasOwnBot({ PATH: '/bin' }, 'feishu')).toBe(false);
    expect(hasOwnBot({ FEISHU_APP_ID: '' }, 'feishu')).toBe(false);
  });

  it('takes the bot of the user when all of it is set', () => {
    expect(hasOwnBot(FEISHU, 'feishu')).toBe(true);
    expect(hasOwnBot({ ...FEISHU, FEISHU_BASE_URL: 'http://127.0.0.1:9' }, 'feishu')).toBe(true);
  });

  it.each(Object.keys(FEISHU))('refuses a bot without %s, and shows no secret', (name) => {
    const check = () => hasOwnBot({ ...FEISHU, [name]: undefined }, 'feishu');
    expect(check).toThrow(`not ${name}: a real feishu bot needs all of them`);
    expect(check).not.toThrow(/a-secret|a-key|a-token/);
  });

  it('refuses an address that only the well-known values would guard', () => {
    expect(() => hasOwnBot({ FEISHU_BASE_URL: 'https://open.feishu.cn' }, 'feishu')).toThrow(
      'FEISHU_BASE_URL set, but not FEISHU_APP_ID, FEISHU_APP_SECRET',
    );
  });

  it('leaves nothing of the AWS account that the shell was set up for', () => {
    const environment: NodeJS.ProcessEnv = {
      HOME: '/home/ann',
      AWS_PROFILE: 'production',
      AWS_ACCESS_KEY_ID: 'AKIAREAL',
      AWS_SESSION_TOKEN: 'real',
      AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
      AWS_USE_FIPS_ENDPOINT: 'true',
      AWS_ENDPOINT_URL: 'https://example.com',
    };
    enterLocalCloud(environment, {
      endpoints: { dynamodb: 'http://d', sqs: 'http://q', scheduler: 'http://s' },
      table: 'table',
      queue: { url: 'http://q/jobs', arn: 'arn:jobs' },
      deadLetters: { url: 'http://q/dead', arn: 'arn:dead' },
    });
    expect(environment).toMatchObject({
      HOME: '/home/ann',
      TABLE_NAME: 'table',
      QUEUE_URL: 'http://q/jobs',
      QUEUE_ARN: 'arn:jobs',
      DEAD_LETTER_QUEUE_URL: 'http://q/dead',
      AWS_ENDPOINT_URL_DYNAMODB: 'http://d',
      AWS_ENDPOINT_URL_SQS: 'http://q',
      AWS_ENDPOINT_URL_SCHEDULER: 'http://s',
      AWS_ACCESS_KEY_ID: 'local',
    });
    expect(JSON.stringify(environment)).not.toMatch(/AKIAREAL|production|"real"|example\.com|true/);
  });
});
