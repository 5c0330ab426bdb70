'use strict';

const { chmod, rm } = require('node:fs/promises');
const { spawn } = require('node:child_process');
const { dest, parallel, series, src } = require('gulp');

const serviceSource = 'ledger-service/src';
const serviceBuilt = 'ledger-service/dist';

function clean() {
  return Promise.all(['dist', serviceBuilt].map((folder) => rm(folder, { recursive: true, force: true })));
}

function compile(name, ...command) {
  const task = () =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, command, { stdio: 'inherit' });
      child.on('error', reject);
      child.on('exit', (code) =>
        code === 0
          ? resolve()
          : reject(new Error(`TypeScript found errors in ${name} (see above); nothing usable was built`)),
      );
    });
  task.displayName = `compile ${name}`;
  return task;
}

const compileNodes = compile('the nodes', require.resolve('typescript/bin/tsc'), '--project', 'tsconfig.json');
// With a step of its own, which leaves the pause points of the tests out.
const compileService = compile('the service', 'ledger-service/scripts/compile.mjs');

// Icons and the node's .node.json (codex) are read by n8n beside the compiled file. Bytes, not text: PNGs must survive.
function copyNodeFiles() {
  return src(['nodes/**/*.{svg,png,json}', 'credentials/**/*.{svg,png}'], {
    base: '.',
    encoding: false,
    allowEmpty: true,
  }).pipe(dest('dist'));
}

function copyMigrations() {
  return src(`${serviceSource}/**/*.sql`, { base: serviceSource, encoding: false, allowEmpty: true }).pipe(
    dest(serviceBuilt),
  );
}

const buildNodes = parallel(compileNodes, copyNodeFiles);
// npm makes a command executable when it installs a package, but not one that is built after the install.
function makeCommandExecutable() {
  return chmod(`${serviceBuilt}/cli/main.js`, 0o755);
}

const buildService = series(parallel(compileService, copyMigrations), makeCommandExecutable);

exports.clean = clean;
exports['build:nodes'] = buildNodes;
exports['build:service'] = buildService;
// One after the other: two compilers at once need more memory than a small machine has.
exports.build = series(clean, buildNodes, buildService);
exports.default = exports.build;
