import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const repository = path.resolve(__dirname, '../..');
const gulp = path.join(repository, 'node_modules/gulp/bin/gulp.js');

const parts = [
  {
    name: 'nodes',
    task: 'build:nodes',
    from: ['nodes', 'credentials'],
    built: 'dist/nodes/ClaimAction/ClaimAction.node.js',
  },
  {
    name: 'ledger service',
    task: 'build:service',
    from: ['ledger-service/src'],
    built: 'ledger-service/dist/cli/main.js',
  },
];

/** Builds what was never built, or not since its sources changed. */
export async function buildMissing(say: (line: string) => void, onSpawn: (child: ChildProcess) => void): Promise<void> {
  for (const { name, task, from, built } of parts) {
    if (isBuilt(from, built)) continue;
    say(`Building the ${name} …`);
    const child = spawn(process.execPath, [gulp, '--silent', task], {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onSpawn(child);
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`The ${name} could not be built. Nothing was run.\n${said.join('')}`);
  }
}

function isBuilt(from: string[], built: string): boolean {
  const time = statSync(path.join(repository, built), { throwIfNoEntry: false })?.mtimeMs;
  if (time === undefined) return false;
  return from.every((folder) => {
    const sources = path.join(repository, folder);
    return readdirSync(sources, { recursive: true, encoding: 'utf8' }).every(
      (entry) => statSync(path.join(sources, entry)).mtimeMs <= time,
    );
  });
}
