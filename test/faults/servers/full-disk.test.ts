import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { FullDisk } from './full-disk';

const isRoot = process.getuid?.() === 0;
let folder: string;
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(os.tmpdir(), 'action-ledger-disk-test-')), 'disk');
});
afterEach(() => rmSync(path.dirname(folder), { recursive: true, force: true }));

const isMounted = (): boolean => readFileSync('/proc/mounts', 'utf8').includes(` ${folder} `);

if (!isRoot) {
  it('cannot be mounted by anybody but root: the disk-full tests are run by root only', () => {
    expect(() => FullDisk.mount(folder, 2)).toThrow();
  });
}

// Who is not root cannot have what the other tests are about, and must be told so.
if (process.getuid?.() !== 0) {
  it('cannot be had by anybody but root', () => {
    expect(() => FullDisk.mount(folder, 2)).toThrow(/mount failed/);
  });
} else {
  it('is full to the last byte, and takes bytes again when it is freed', () => {
    const disk = FullDisk.mount(folder, 2);
    try {
      writeFileSync(path.join(folder, 'file'), 'before');
      disk.fill();
      expect(statfsSync(folder).bfree).toBe(0);
      expect(() => writeFileSync(path.join(folder, 'more'), Buffer.alloc(8_192))).toThrow(/ENOSPC/);
      disk.free();
      writeFileSync(path.join(folder, 'more'), Buffer.alloc(8_192));
      expect(readFileSync(path.join(folder, 'file'), 'utf8')).toBe('before');
    } finally {
      disk.unmount();
    }
    expect(isMounted()).toBe(false);
  });

  it('takes what was freed meanwhile when it is filled again', () => {
    const disk = FullDisk.mount(folder, 2);
    try {
      writeFileSync(path.join(folder, 'file'), Buffer.alloc(65_536));
      disk.fill();
      rmSync(path.join(folder, 'file'));
      expect(statfsSync(folder).bfree).toBeGreaterThan(0);
      disk.fill();
      expect(statfsSync(folder).bfree).toBe(0);
    } finally {
      disk.unmount();
    }
  });

  const ENDS = {
    'by an error': 'throw new Error("an error")',
    'by SIGTERM': 'process.kill(process.pid, "SIGTERM")',
  };
  for (const [how, end] of Object.entries(ENDS)) {
    it(`is unmounted when its process ends ${how}`, () => {
      const script = `
        process.once('SIGTERM', () => process.exit(1));
        const { FullDisk } = require(${JSON.stringify(path.join(__dirname, 'full-disk.ts'))});
        FullDisk.mount(${JSON.stringify(folder)}, 2).fill();
        const mounts = require('node:fs').readFileSync('/proc/mounts', 'utf8');
        console.log('mounted: ' + mounts.includes(${JSON.stringify(folder)}));
        setTimeout(() => undefined, 60_000);
        ${end};`;
      const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', '--eval', script], {
        encoding: 'utf8',
        cwd: __dirname,
      });
      expect([stdout.trim(), status]).toEqual(['mounted: true', 1]);
      expect(isMounted()).toBe(false);
    });
  }
}
