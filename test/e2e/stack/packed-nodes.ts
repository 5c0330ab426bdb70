import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { npm } from './npm';

const repository = join(__dirname, '..', '..', '..');

/** Packs the node package as it would be published. Gives the tarball's path. */
export async function packNodes(into: string, logFile: string): Promise<string> {
  const built = join(repository, 'dist', 'nodes', 'ClaimAction', 'ClaimAction.node.js');
  if (!existsSync(built)) {
    throw new Error('The nodes are not built, so there is nothing to pack. Run "npm run build" first.');
  }
  await mkdir(into, { recursive: true });
  await npm(['pack', '--pack-destination', into], repository, logFile);
  const [tarball] = (await readdir(into)).filter((name) => name.endsWith('.tgz'));
  if (!tarball) throw new Error(`npm pack wrote no tarball into ${into}.`);
  return join(into, tarball);
}

/**
 * What a user does by hand: `npm install --omit=peer <package>` inside `~/.n8n/nodes`. The peer, n8n-workflow, is there in
 * n8n already; npm would fetch it once more, and compile what it depends on. n8n's own installer leaves it out too.
 */
export async function installNodes(n8nUserFolder: string, tarball: string, logFile: string): Promise<void> {
  const folder = join(n8nUserFolder, '.n8n', 'nodes');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "name": "installed-nodes", "private": true }\n');
  await npm(['install', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund', tarball], folder, logFile);
}
