import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { writeFunctions } from './bundle.ts';
import { environmentNamed, settingsText } from './environments.ts';
import { createStack } from './stack.ts';

/** Run by the CDK's command line, which says in `CDK_OUTDIR` where it wants everything. */
const synthesise = async (): Promise<void> => {
  const app = new App();
  const environment = app.node.tryGetContext('env');
  const settings = environmentNamed(environment);
  const text = await settingsText(app.node.tryGetContext('settings') ?? settings.settings);
  const code = await mkdtemp(join(tmpdir(), 'countersign-functions-'));
  try {
    await writeFunctions({ code, maps: join(app.outdir, 'source-maps') }, text);
    createStack(app, { environment, settings, code });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    app.synth();
  } finally {
    await rm(code, { recursive: true, force: true });
  }
};

synthesise().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
