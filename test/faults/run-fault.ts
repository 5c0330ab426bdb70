import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../e2e/stack/until';
import { HistoryRecorder } from '../model/checker';
import { type Fault, type Injection, type Run, type Site } from './fault';
import { Judge, type Verdict } from './judge';
import { Destination } from './load/destination';
import { type Journal } from './load/journal';
import { LedgerClient } from './load/ledger-client';
import { Load } from './load/load';
import { type LoadSettings, OPERATION, USUAL_LOAD } from './load/settings';
import { Random } from './random';

export interface FaultResult {
  fault: Fault;
  seed: number;
  injections: number;
  verdict: Verdict;
  longestWaitMs: number;
  /** Second effects, and losses, are what this fault is there to measure. */
  secondEffectsAreMeasured: boolean;
  lossIsMeasured: boolean;
  /** Lines that the fault itself has to say. */
  notes: readonly string[];
}

export interface FaultOptions {
  seed: number;
  injections: number;
  /** Actions of one injection, instead of the usual number. */
  actions?: number;
  /** Asked between injections: ends the run early. */
  enough?: () => boolean;
  say: (line: string) => void;
}

/** Two sweeps, each a second and a fifth apart at most, and what a busy machine adds. */
const SWEEPS_MS = 2_400;
const PATIENCE_MS = 60_000;

/** Makes a fault so often, and judges after every injection and, with everything at rest, at the end. */
export async function runFault(fault: Fault, options: FaultOptions): Promise<FaultResult> {
  const result: FaultResult = {
    fault,
    seed: options.seed,
    injections: 0,
    verdict: { actions: 0, duplicates: 0, lostReceipts: 0, lostEvents: 0, unknownWithOwner: 0, wrong: [] },
    longestWaitMs: 0,
    secondEffectsAreMeasured: false,
    lossIsMeasured: false,
    notes: [],
  };
  const folder = mkdtempSync(path.join(os.tmpdir(), `action-ledger-${fault.name}-`));
  chmodSync(folder, 0o711);
  const undo: (() => Promise<unknown> | void)[] = [];
  try {
    await injectAll(fault, { ...options, folder, atEnd: (work) => undo.unshift(work) }, result);
  } catch (error) {
    result.verdict.wrong.push(`the run ended early: ${String((error as Error).stack ?? error)}`);
  }
  for (const work of undo) {
    try {
      await work();
    } catch (error) {
      result.verdict.wrong.push(`not everything could be ended: ${String(error)}`);
    }
  }
  if (result.verdict.wrong.length === 0) rmSync(folder, { recursive: true, force: true });
  else options.say(`  The logs and data of this run are kept in ${folder}`);
  return result;
}

async function injectAll(
  fault: Fault,
  { seed, injections, actions, enough, say, folder, atEnd }: FaultOptions & Pick<Run, 'folder' | 'atEnd'>,
  result: FaultResult,
): Promise<void> {
  const random = new Random(seed);
  const site = await fault.prepare({ seed, random: random.fork(), folder, atEnd, log: say });
  result.secondEffectsAreMeasured = site.secondEffectsAreMeasured === true;
  result.lossIsMeasured = site.lossIsMeasured === true;
  await setOwner(site);
  const journals: Journal[] = [];
  for (let number = 1; number <= injections && enough?.() !== true; number++) {
    const journal = await injectOnce(site, number, random.fork(), actions);
    journals.push(journal);
    result.injections++;
    result.longestWaitMs = Math.max(result.longestWaitMs, journal.longestWaitMs);
    const verdict = await judged(site, (judge) => judge.judge(journal, false));
    const wrong = mistakes(verdict, site).map((line) => `injection ${number}: ${line}`);
    result.verdict.wrong.push(...wrong);
    if (wrong.length > 0) say(`  ${wrong[0]}${wrong.length > 1 ? ` (and ${wrong.length - 1} more)` : ''}`);
  }
  await judgeAtRest(site, journals, result);
  result.notes = site.notes?.() ?? [];
}

/** The load of one injection, with the fault in its midst. */
async function injectOnce(site: Site, number: number, random: Random, actions?: number): Promise<Journal> {
  const prefix = `i${number}`;
  if (site.work !== undefined) return site.work({ number, random, prefix });
  const load = new Load({
    settings: { ...settingsOf(site), ...(actions !== undefined && { actions }) },
    prefix,
    random: random.fork(),
    urls: () => site.urls,
    destination: new Destination(),
  });
  const injection: Injection = { number, random, load };
  await load.reached(random.between(5, 50) / 100);
  try {
    await site.inject(injection);
  } finally {
    await load.finish();
  }
  return load.journal;
}

const settingsOf = (site: Site): LoadSettings => ({ ...USUAL_LOAD, ...site.load });

/** What a verdict has against the site, in words; what the fault is there to measure is not held against it. */
function mistakes(verdict: Verdict, site: Site): string[] {
  const { duplicates, lostReceipts, lostEvents, wrong } = verdict;
  if (site.lossIsMeasured === true) return [];
  return [
    ...(duplicates > 0 && site.secondEffectsAreMeasured !== true ? [`${duplicates} keys with a second effect`] : []),
    ...(lostReceipts > 0 ? [`${lostReceipts} acknowledged receipts are lost`] : []),
    ...(lostEvents > 0 ? [`${lostEvents} acknowledged events are lost`] : []),
    ...wrong,
  ];
}

/** When the last lease is over and swept: nothing is in progress, everything is decided or unknown with an owner. */
async function judgeAtRest(site: Site, journals: readonly Journal[], result: FaultResult): Promise<void> {
  await sleep(settingsOf(site).leaseSeconds * 1_000 + SWEEPS_MS);
  await judged(site, async (judge) => {
    await until(async () => (await judge.inProgress()) === 0, {
      what: 'every lease that is over to be swept',
      timeoutMs: PATIENCE_MS,
    });
    for (const journal of journals) {
      const verdict = await judge.judge(journal, true);
      for (const figure of ['actions', 'duplicates', 'lostReceipts', 'lostEvents', 'unknownWithOwner'] as const) {
        result.verdict[figure] += verdict[figure];
      }
      result.verdict.wrong.push(...mistakes(verdict, site).map((line) => `at rest: ${line}`));
    }
    const broken = await judge.brokenChains();
    result.verdict.wrong.push(...broken.map((subject) => `the history of ${subject} is not whole`));
  });
}

async function judged<T>(site: Site, work: (judge: Judge) => Promise<T>): Promise<T> {
  const judge = await Judge.open(site.databaseUrl);
  try {
    return await work(judge);
  } finally {
    await judge.close();
  }
}

/** As an operator does before going live: somebody looks after what stays unknown. */
async function setOwner(site: Site): Promise<void> {
  const client = new LedgerClient({
    urls: () => site.urls,
    callMs: 10_000,
    patienceMs: PATIENCE_MS,
    recorder: new HistoryRecorder(),
    onAnswered: () => undefined,
  });
  await client.ask('PUT', `/v1/operations/${OPERATION}`, { owner: 'booking desk' });
}
