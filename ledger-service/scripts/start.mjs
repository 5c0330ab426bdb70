// `npm start`: a ledger that keeps running. It is made the first time, in a folder that is named here, and only then.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const main = path.join(repository, 'ledger-service/dist/cli/main.js');
const own = process.argv.slice(2);

if (!isBuilt()) {
  console.log('Building the ledger service first.');
  const gulp = path.join(repository, 'node_modules/gulp/bin/gulp.js');
  const built = spawnSync(process.execPath, [gulp, 'build:service'], { cwd: repository, stdio: 'inherit' });
  if (built.status !== 0) process.exit(built.status ?? 1);
}

const flags = [];
if (!process.env.DATABASE_URL && !own.some((flag) => flag.startsWith('--data'))) {
  const folder = chooseDataFolder();
  // Half a first start leaves no cluster, so the next start may make it; a ledger that was there is never replaced.
  const first = !existsSync(path.join(folder, 'postgresql'));
  flags.push('--data', folder, ...(first ? ['--init'] : []));
  console.log(first ? `Making a new ledger in ${folder}` : `Starting the ledger in ${folder}`);
}

const child = spawn(process.execPath, [main, 'serve', ...flags, ...own], { stdio: 'inherit' });
// Ctrl-C reaches the ledger by itself (same process group); it drains, and we end when it has ended.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));

/** Built since the last change of a source: after an update, an old build must not go on running unnoticed. */
function isBuilt() {
  const built = statSync(main, { throwIfNoEntry: false });
  if (!built) return false;
  const source = path.join(repository, 'ledger-service/src');
  return readdirSync(source, { recursive: true }).every(
    (entry) => statSync(path.join(source, entry)).mtimeMs <= built.mtimeMs,
  );
}

/** ./data, or a folder of the system where root's database user cannot get into the checkout. */
function chooseDataFolder() {
  const beside = path.join(process.cwd(), 'data');
  if (process.getuid?.() !== 0) return beside;
  return everybodyEnters(process.cwd()) ? beside : '/var/lib/action-ledger/data';
}

function everybodyEnters(folder) {
  if ((statSync(folder).mode & 0o001) === 0) return false;
  const parent = path.dirname(folder);
  return parent === folder || everybodyEnters(parent);
}
