import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { type Patch } from './guard';

const repository = path.resolve(__dirname, '../..');

/** What the tests of service and nodes need. `node_modules` are not copied: they are linked where they are. */
const PARTS = ['nodes', 'credentials', 'ledger-service', 'test', 'package.json', 'tsconfig.json', 'jest.config.js'];
const LEFT_OUT = new Set(['node_modules', 'dist', '.cache', 'e2e', 'screenshots']);

/** A copy of the sources in a folder of its own. Guards are switched off here, never in the work tree. */
export class SourceCopy {
  readonly folder: string;

  constructor() {
    this.folder = mkdtempSync(path.join(os.tmpdir(), 'action-ledger-sabotage-'));
    for (const part of PARTS) {
      cpSync(path.join(repository, part), path.join(this.folder, part), {
        recursive: true,
        filter: (source) => !LEFT_OUT.has(path.basename(source)),
      });
    }
    for (const holder of [
      '.',
      'ledger-service',
      ...readdirSync(path.join(repository, 'test')).map((name) => `test/${name}`),
    ]) {
      const modules = path.join(repository, holder, 'node_modules');
      if (existsSync(modules) && existsSync(path.join(this.folder, holder))) {
        symlinkSync(modules, path.join(this.folder, holder, 'node_modules'));
      }
    }
  }

  /** Applies all patches or throws; answers what takes them back. */
  apply(patches: readonly Patch[]): () => void {
    const before = new Map<string, string>();
    const patched = new Map<string, string>();
    for (const { file, find, replace } of patches) {
      const text = patched.get(file) ?? readFileSync(path.join(this.folder, file), 'utf8');
      if (!before.has(file)) before.set(file, text);
      const found = text.split(find).length - 1;
      if (found !== 1) throw new Error(`${file} has the text to switch off ${found} times instead of once: ${find}`);
      // As a function: a replacement text is not to be read for "$".
      patched.set(
        file,
        text.replace(find, () => replace),
      );
    }
    for (const [file, text] of patched) writeFileSync(path.join(this.folder, file), text);
    return () => {
      for (const [file, text] of before) writeFileSync(path.join(this.folder, file), text);
    };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
