import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { provideBinaries } from '../../../ledger-service/src/store/embedded/binaries';
import { chooseRunAs, credentials, isRoot } from '../../../ledger-service/src/store/embedded/os-user';
import { findPlatformPackage } from '../../../ledger-service/src/store/embedded/platform-package';
import { startEmbeddedPostgres } from '../../../ledger-service/src/store/embedded/start-embedded-postgres';
import { createServerFolder } from '../../setup/temp-folder';

// The same suite runs for root, whose server is another user's, and for an ordinary user: each meets other closed doors.

let folder: string;
const log: string[] = [];
const runAs = chooseRunAs('/nonexistent', () => undefined);

beforeEach(() => {
  folder = createServerFolder();
  log.length = 0;
});

afterEach(() => {
  execFileSync('chmod', ['-R', 'u+rwX', folder]);
  rmSync(folder, { recursive: true, force: true });
});

const provide = (root: string) =>
  provideBinaries({ ...findPlatformPackage(), root }, runAs, (line) => log.push(line), path.join(folder, 'cache'));

/** A copy of the programs' package as npm leaves it without install scripts: no library links. */
function copyPackage(to: string): string {
  cpSync(findPlatformPackage().root, to, {
    recursive: true,
    filter: (entry) => !lstatSync(entry).isSymbolicLink(),
    verbatimSymlinks: true,
  });
  return to;
}

const version = (program: string) =>
  execFileSync(program, ['--version'], { ...credentials(runAs), cwd: '/', encoding: 'utf8' }).trim();

test('the missing library links are made where the package lies', () => {
  const root = copyPackage(path.join(folder, 'package'));
  const binaries = provide(root);
  expect(binaries.postgres).toBe(path.join(root, 'native', 'bin', 'postgres'));
  expect(version(binaries.postgres)).toContain('18.4');
  expect(existsSync(path.join(folder, 'cache'))).toBe(false);
});

test("programs that the server's user cannot run where they lie are copied once to a folder that only we can write", () => {
  const closed = path.join(folder, 'closed');
  mkdirSync(closed);
  const root = copyPackage(path.join(closed, 'package'));
  // Root's user "postgres" cannot get in; an ordinary user cannot make the links in a read-only install.
  if (isRoot()) chmodSync(closed, 0o700);
  else execFileSync('chmod', ['-R', 'a-w', root]);

  const binaries = provide(root);
  expect(binaries.postgres.startsWith(path.join(folder, 'cache'))).toBe(true);
  expect(version(binaries.postgres)).toContain('18.4');
  expect(log).toHaveLength(1);
  expect(provide(root)).toEqual(binaries);
  expect(log).toHaveLength(1);

  chmodSync(path.dirname(binaries.postgres), 0o777);
  expect(() => provide(root)).toThrow('can be written by somebody else');
});

test("a data folder that the server's user cannot reach is refused by the name of the closed folder", async () => {
  const closed = path.join(folder, 'closed');
  const dataDir = path.join(closed, 'data');
  mkdirSync(dataDir, { recursive: true });
  chmodSync(closed, isRoot() ? 0o700 : 0o600);
  await expect(startEmbeddedPostgres({ dataDir, init: true, log: () => undefined })).rejects.toMatchObject({
    code: 'folder_unreachable',
    message: expect.stringContaining(closed),
  });
});
