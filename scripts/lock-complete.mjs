#!/usr/bin/env node
// Says which optional (platform) packages package-lock.json should hold but does not: without them `npm ci` fails, here or on
// another platform. Usage: node scripts/lock-complete.mjs [package-lock.json]. Exit 1 where any is missing.
import { readFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync(process.argv[2] ?? 'package-lock.json', 'utf8'));
const paths = Object.keys(lock.packages);
const missing = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const name of Object.keys(entry.optionalDependencies ?? {})) {
    const held = paths.some(
      (p) => p === `node_modules/${name}` || p.endsWith(`/node_modules/${name}`),
    );
    if (!held)
      missing.push(
        `${path || '(root)'} ${entry.version ?? ''} → ${name}@${entry.optionalDependencies[name]}`,
      );
  }
}
for (const line of missing) console.log(`missing: ${line}`);
console.log(
  missing.length === 0
    ? 'lock file complete'
    : `${missing.length} platform packages missing: pin their parent to an older version (overrides)`,
);
process.exit(missing.length === 0 ? 0 : 1);
