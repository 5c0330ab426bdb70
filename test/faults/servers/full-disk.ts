import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';

/**
 * A small disk of its own (tmpfs), which can be filled to the last byte and freed again. It is unmounted at the end of
 * this process, however it ends; only SIGKILL leaves it to whoever removes the folder.
 */
export class FullDisk {
  private readonly filler: string;
  private file: number | undefined;

  private constructor(readonly folder: string) {
    this.filler = path.join(folder, 'filler');
  }

  /** Needs root. @param folder a new one */
  static mount(folder: string, megabytes: number): FullDisk {
    mkdirSync(folder, { recursive: true });
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'action-ledger-faults', folder);
    const disk = new FullDisk(folder);
    process.once('exit', disk.unmount);
    return disk;
  }

  /** Takes all the space that is left, and again what was freed since. */
  fill(): void {
    this.file ??= openSync(this.filler, 'w', 0o600);
    for (let size = LARGEST_WRITE; size >= 1;) {
      try {
        writeSync(this.file, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        size = Math.floor(size / 2);
      }
    }
  }

  free(): void {
    if (this.file === undefined) return;
    ftruncateSync(this.file, 0);
    closeSync(this.file);
    rmSync(this.filler);
    this.file = undefined;
  }

  /** Lazily: a server that still runs on it keeps it until it ends. Once is enough. */
  readonly unmount = (): void => {
    process.off('exit', this.unmount);
    this.free();
    run('umount', '--lazy', this.folder);
  };
}

const LARGEST_WRITE = 1_048_576;

function run(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`);
}
