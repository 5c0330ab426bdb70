/**
 * Runs the tests in a single n8n process, then those of queue mode, one after the other: each needs most of two cores.
 * What is given on the command line goes to Jest both times. Fails if one of them failed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const args = process.argv.slice(2);
let running;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    running?.kill(signal);
    process.exitCode = 1;
  });
}

/** Gives Jest's exit code. */
function run(config) {
  return new Promise((resolve) => {
    // A name given on the command line may be one of the other mode's tests only.
    running = spawn(process.execPath, [jest, '--config', config, '--passWithNoTests', ...args], { stdio: 'inherit' });
    running.on('exit', (code) => resolve(code ?? 1));
  });
}

const single = await run('jest.config.js');
let queue = 0;
if (spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0) {
  if (process.exitCode === undefined) queue = await run('queue/jest.config.js');
} else {
  const install = 'Install it with "apt-get install redis-server".';
  if (process.env.CI) {
    process.stderr.write(`n8n's queue mode cannot be tested: there is no redis-server on this machine. ${install}\n`);
    queue = 1;
  } else {
    process.stderr.write(
      `n8n's queue mode was NOT tested: there is no redis-server on this machine. ${install} With CI set in the environment this is a failure.\n`,
    );
  }
}
process.exitCode ||= single || queue;
