import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { FullDisk } from './full-disk';

// Only root may mount; everybody else would test nothing here.
const asRoot = process.getuid?.() === 0 ? it : it.skip;

let folder: string;
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(os.tmpdir(), 'action-ledger-disk-test-')), 'disk');
});
afterEach(() => rmSync(path.dirname(folder), { recursive: true, force: true }));

const isMounted = (): boolean => readFileSync('/proc/mounts', 'utf8').includes(` ${folder} `);

asRoot('is full to the last byte, and takes bytes again when it is freed', () => {
  const disk = FullDisk.mount(folder, 2);
  try {
    const file = path.join(folder, 'file');
    writeFileSync(file, 'before');
    disk.fill();
    expect(statfsSync(folder).bfree).toBe(0);
    expect(() => {
      writeFileSync(path.join(folder, 'more'), Buffer.alloc(8_192));
    }).toThrow(/ENOSPC/);
    rmSync(path.join(folder, 'more'), { force: true });
    disk.fill();
    disk.free();
    writeFileSync(path.join(folder, 'more'), Buffer.alloc(8_192));
    expect(readFileSync(file, 'utf8')).toBe('before');
  } finally {
    disk.unmount();
  }
  expect(isMounted()).toBe(false);
});

asRoot.each(['throw new Error("ends by itself")', 'process.kill(process.pid, "SIGTERM")'])(
  'is unmounted when its process ends: %s',
  (end) => {
    const script = `
      process.once('SIGTERM', () => process.exit(1));
      const { FullDisk } = require(${JSON.stringify(path.join(__dirname, 'full-disk.ts'))});
      FullDisk.mount(${JSON.stringify(folder)}, 2).fill();
      console.log('mounted: ' + require('node:fs').readFileSync('/proc/mounts', 'utf8').includes(${JSON.stringify(folder)}));
      setTimeout(() => undefined, 60_000);
      ${end};`;
    const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', '--eval', script], {
      encoding: 'utf8',
      cwd: __dirname,
    });
    expect([stdout.trim(), status]).toEqual(['mounted: true', 1]);
    expect(isMounted()).toBe(false);
  },
);
