import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from './ledger-api';

/**
 * The one file that reads what n8n does not publish. Everything here is looked for before it is used and may be absent
 * in another version. It must never be the reason to confirm or to fail an action: callers use it only to turn a
 * verdict into unknown, or to warn.
 */

export interface StepInternals {
  /** Undefined where this version of n8n does not show it. */
  retryOnFail: boolean | undefined;
  onError: string | undefined;
  /** The step was not executed in this test run; its pinned item arrived as if it were the result. */
  pinned: boolean;
  /** The step's own run ended with an error, whatever output its items left on. */
  runFailed: boolean;
  /** Retry On Fail is on, and the run took long enough for a second try. */
  mayHaveRepeated: boolean;
}

/** @param run which run of the step; undefined where it is not known: then only a step that ran once is judged */
export function readStepInternals(context: IExecuteFunctions, step: string, run: number | undefined): StepInternals {
  const node = settingsOf(context, step);
  const resultData = field(field(context, 'runExecutionData'), 'resultData');
  const runs = field(field(resultData, 'runData'), step);
  const runData = theRun(runs, run);
  return {
    retryOnFail: node === undefined ? undefined : node.retryOnFail === true,
    onError: node === undefined ? undefined : onErrorOf(node),
    pinned: Array.isArray(field(field(resultData, 'pinData'), step)),
    runFailed: field(runData, 'executionStatus') === 'error' || isRecord(field(runData, 'error')),
    mayHaveRepeated: node?.retryOnFail === true && !ranOnce(node, field(runData, 'executionTime')),
  };
}

/** n8n pauses before each further try, for this long (n8n-core, `getRetryParams`): a run that was shorter was one try. */
function ranOnce({ waitBetweenTries }: Record<string, unknown>, executionTime: unknown): boolean {
  const pause = Math.min(5_000, Math.max(0, Number(waitBetweenTries) || 1_000));
  return typeof executionTime === 'number' && executionTime < pause;
}

/** The claim says that the step hands its idempotency key to a destination that honours it. */
export function sendsIdempotencyKey(context: IExecuteFunctions, claimNode: string): boolean {
  const parameters = settingsOf(context, claimNode)?.parameters;
  return field(field(parameters, 'options'), 'sendsIdempotencyKey') === true;
}

function theRun(runs: unknown, run: number | undefined): unknown {
  if (!Array.isArray(runs)) return undefined;
  if (run !== undefined) return runs[run];
  return runs.length === 1 ? runs[0] : undefined;
}

/** Per run of a step, how many items it made of each of its input items; counted once, read for each item. */
const resultsPerInput = new WeakMap<object, Map<number, number>>();

/**
 * How many items the step made of the input item that this item was made of, over all its outputs. A step that both
 * answered and failed for one input has done part of it. Undefined where n8n does not show it.
 */
export function countResultsOfSameInput(
  context: IExecuteFunctions,
  step: { node: string; run: number; output: number },
  itemIndex: number,
): number | undefined {
  const runs = field(field(field(field(context, 'runExecutionData'), 'resultData'), 'runData'), step.node);
  const outputs = field(field(theRun(runs, step.run), 'data'), 'main');
  if (!Array.isArray(outputs)) return undefined;
  const items: unknown = outputs[step.output];
  const input = pairedInput(Array.isArray(items) ? items[itemIndex] : undefined);
  if (input === undefined) return undefined;
  const counted = resultsPerInput.get(outputs) ?? countPerInput(outputs);
  resultsPerInput.set(outputs, counted);
  return counted.get(input);
}

function countPerInput(outputs: unknown[]): Map<number, number> {
  const counted = new Map<number, number>();
  for (const item of outputs.flat()) {
    const input = pairedInput(item);
    if (input !== undefined) counted.set(input, (counted.get(input) ?? 0) + 1);
  }
  return counted;
}

/** The one input item that an item is paired with. */
function pairedInput(item: unknown): number | undefined {
  const pairedItem = field(item, 'pairedItem');
  const pair: unknown = Array.isArray(pairedItem) && pairedItem.length === 1 ? pairedItem[0] : pairedItem;
  const input = typeof pair === 'number' ? pair : field(pair, 'item');
  return typeof input === 'number' ? input : undefined;
}

export interface NextStep {
  name: string;
  retryOnFail: boolean;
  hasErrorOutput: boolean;
}

/** The steps wired to one output of this node, as far as n8n shows the wiring. */
export function readNextSteps(context: IExecuteFunctions, output: number): NextStep[] {
  const connections = field(field(context, 'workflow'), 'connectionsBySourceNode');
  const main = field(field(connections, context.getNode().name), 'main');
  const wired: unknown = Array.isArray(main) ? main[output] : undefined;
  if (!Array.isArray(wired)) return [];
  return wired.flatMap((connection: unknown) => {
    const name = field(connection, 'node');
    const node = typeof name === 'string' ? settingsOf(context, name) : undefined;
    if (node === undefined || node.disabled === true) return [];
    return [
      {
        name: name as string,
        retryOnFail: node.retryOnFail === true,
        hasErrorOutput: onErrorOf(node) === 'continueErrorOutput',
      },
    ];
  });
}

function settingsOf(context: IExecuteFunctions, name: string): Record<string, unknown> | undefined {
  const node = field(field(field(context, 'workflow'), 'nodes'), name);
  return isRecord(node) ? node : undefined;
}

function onErrorOf(node: Record<string, unknown>): string {
  if (typeof node.onError === 'string') return node.onError;
  return node.continueOnFail === true ? 'continueRegularOutput' : 'stopWorkflow';
}

/**
 * Always Output Data makes n8n put an empty item on the first output whenever that is empty: out of Proceed, or out of
 * Confirmed, without anybody having decided so. The setting is switched off for this run, on the node object that the
 * engine reads it from afterwards.
 *
 * @returns whether the setting was on
 */
export function neverOutputUndecided(context: IExecuteFunctions): boolean {
  const { node } = context.getExecuteData();
  if (node.alwaysOutputData !== true) return false;
  node.alwaysOutputData = false;
  return true;
}

export function warnOfAlwaysOutputData(context: IExecuteFunctions): void {
  if (typeof context.addExecutionHints !== 'function') return;
  context.addExecutionHints({
    message:
      'Always Output Data is on for this node and was left out of account: it would send an empty item out of the first output. Switch it off in the settings.',
    type: 'warning',
    location: 'outputPane',
  });
}

/** A getter of another version may throw; that is the same as absent. */
function field(holder: unknown, name: string): unknown {
  try {
    return isRecord(holder) ? holder[name] : undefined;
  } catch {
    return undefined;
  }
}
