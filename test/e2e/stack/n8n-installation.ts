import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { npm } from './npm';

const source = join(__dirname, '..', 'n8n');

export interface N8nInstallation {
  folder: string;
  version: string;
  /** To be run with Node.js: `node <bin> start`. */
  bin: string;
}

/**
 * The n8n of `test/e2e/n8n/package-lock.json`, installed once into the user's cache folder and used again as long as
 * the lock file is the same. Install scripts are left out: with n8n on PostgreSQL nothing needs to be compiled.
 */
export async function installN8n(logFile: string): Promise<N8nInstallation> {
  const lock = await readFile(join(source, 'package-lock.json'));
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
    dependencies: { n8n: string };
  };
  const version = manifest.dependencies.n8n;
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(cache, 'action-ledger', `n8n-${version}`);
  const stamp = join(folder, 'installed-from');
  const fingerprint = `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
  if (!existsSync(stamp) || (await readFile(stamp, 'utf8')) !== fingerprint) {
    await installInto(folder, version, logFile);
    await writeFile(stamp, fingerprint);
  }
  return { folder, version, bin: join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}

async function installInto(folder: string, version: string, logFile: string): Promise<void> {
  // Installed beside and then renamed, so that an interrupted installation is never taken for a whole one.
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) await copyFile(join(source, file), join(unfinished, file));
  process.stderr.write(`Installing n8n ${version} into ${dirname(folder)} (2.9 GB, some minutes, once)\n`);
  await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], unfinished, logFile);
  await rm(folder, { recursive: true, force: true });
  await rename(unfinished, folder);
}
