// Plain JavaScript, loaded before anything else: an older Node cannot even read the TypeScript that comes after it.
const major = Number(process.versions.node.split('.')[0]);
if (major !== 24) {
  process.stderr.write(
    `countersign runs on Node 24, this is ${process.versions.node}: the project brings its own, but its install script did not run; run "npm ci" with install scripts allowed (npm config get ignore-scripts must say false)\n`,
  );
  process.exit(1);
}
