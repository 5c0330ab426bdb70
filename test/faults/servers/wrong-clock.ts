import { globSync, writeFileSync } from 'node:fs';

/** Debian's libfaketime, for programs with threads. */
const LIBRARY = '/usr/lib/*/faketime/libfaketimeMT.so.1';

export const isFaketimeInstalled = (): boolean => globSync(LIBRARY).length > 0;

/** A clock for a process to be started, which is wrong and can be set while the process runs, as an operator or NTP does. */
export class WrongClock {
  /** @param file where the process looks how wrong its clock is */
  constructor(
    private readonly file: string,
    errorMs: number,
  ) {
    this.set(errorMs);
  }

  /** How far it is ahead; negative where it is behind. The process knows after a second. */
  set(errorMs: number): void {
    const seconds = Math.round(errorMs / 1_000);
    writeFileSync(this.file, seconds < 0 ? `${seconds}` : `+${seconds}`);
  }

  /** For the environment of the process. Its timers keep their pace, as they do where only the clock is wrong. */
  get environment(): NodeJS.ProcessEnv {
    const [library] = globSync(LIBRARY);
    if (library === undefined) throw new Error('libfaketime is not installed (Debian: apt-get install faketime)');
    return {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }
}
