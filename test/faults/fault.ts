import { type Journal } from './load/journal';
import { type Load } from './load/load';
import { type LoadSettings } from './load/settings';
import { type Random } from './random';

/** A program that a fault needs and that npm does not bring. */
export type Component =
  'postgresql' | 'pgbouncer' | 'haproxy' | 'patroni' | 'etcd' | 'redis-server' | 'faketime' | 'root';

/** One way of breaking things. Each has a file of its own in `faults/` and a line in `faults/index.ts`. */
export interface Fault {
  /** In kebab case, as its file; what `--only` takes. */
  readonly name: string;
  /** For the table: what is done to what. */
  readonly title: string;
  /** Injections in a run of `test:faults`. */
  readonly injections: number;
  /** Where one of these is missing, the run says so instead of making the fault. */
  readonly needs?: readonly Component[];
  /** Takes too long for `test:faults`, which leaves it out unless it is named by `--only`. The soak never does. */
  readonly long?: boolean;
  /** Starts everything that is broken later. Called once a run. */
  prepare(run: Run): Promise<Site>;
}

/** What a fault is given for a whole run. */
export interface Run {
  readonly seed: number;
  readonly random: Random;
  /** For data and logs; removed at the end, kept where something failed. Its mode lets the user `postgres` through. */
  readonly folder: string;
  /** Undoes what was started: called when the run ends, however it ends, the last first. */
  readonly atEnd: (undo: () => Promise<unknown> | void) => void;
  /** One line for whoever watches. */
  log(line: string): void;
}

/** What was started: a ledger, and the way to break it. */
export interface Site {
  /** Where the load sends its calls; several services are asked in turn. Read again for every call. */
  readonly urls: readonly string[];
  /** How the load differs from the usual one. */
  readonly load?: Partial<LoadSettings>;
  /** The database that holds the ledger now, reached directly: what the judge reads. Read again for every judgement. */
  readonly databaseUrl: string;
  /** Breaks something while the load runs, and mends it. Resolves when it is mended, not when all has recovered. */
  inject(injection: Injection): Promise<void>;
  /** Instead of the usual load and `inject`, for what is done to the workers themselves. Subjects begin with the prefix. */
  work?(injection: Omit<Injection, 'load'> & { prefix: string }): Promise<Journal>;
  /** What was acknowledged may be missing, since this is what is measured (an asynchronous standby). Shown, not failed. */
  readonly lossIsMeasured?: boolean;
  /** Second effects are the documented gap of this fault (a zombie without the destination's keys). Shown, not failed. */
  readonly secondEffectsAreMeasured?: boolean;
  /** Lines for the report, asked for at the end. */
  notes?(): readonly string[];
}

/** One breaking. */
export interface Injection {
  /** 1 and up. */
  readonly number: number;
  readonly random: Random;
  /** What runs meanwhile; a fault may wait until so much of it is done. */
  readonly load: Load;
}
