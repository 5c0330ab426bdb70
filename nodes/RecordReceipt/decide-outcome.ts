import { isRecord } from '../shared/ledger-api';
import type { Outcome } from '../shared/ledger-api';
import type { GuardedStep } from './guarded-step';
import { holdsSomethingNew, sameJson } from './item-values';
import type { ItemValues } from './item-values';
import { asStatus, classifyError, classifyStatus } from './outcome';

export interface Decided {
  outcome: Outcome;
  /** In words, for the receipt and the person who reads it. */
  reason: string;
  /** A short code where the ledger or a reader wants to filter by it. */
  cause: string;
}

/** Everything that is known about one item when its outcome is decided. */
export interface ResultFacts {
  json: Record<string, unknown>;
  claimToken: string;
  /** The claim's own item; undefined when the claim was given by token and cannot be traced. */
  claimItem: Record<string, unknown> | undefined;
  claimValues: ItemValues;
  /** The one step between, if it is exactly one. */
  step: GuardedStep | undefined;
  stepsBetween: number;
  /** How many different steps between hold this very item: two mean that one only passed its input on. */
  stepsWithThisItem: number;
  /** How many items the step made of the one input item, over all its outputs; undefined where n8n does not show it. */
  resultsOfSameInput: number | undefined;
  pinned: boolean;
  runFailed: boolean;
  /** n8n may have sent the step more than once by itself, without a key that makes it one effect. */
  mayHaveRepeated: boolean;
  neverErrors: boolean;
  reference: string;
  overrides: ReadonlyMap<number, Outcome>;
  /** The builder's word that the step tries once and follows no redirects, where n8n does not tell. */
  statedOnce: boolean;
}

/** Decides from the step's result, with positive evidence in both directions; everything else is unknown. */
export function decideOutcome(facts: ResultFacts): Decided {
  if (facts.pinned) {
    return unknown('pinned_data', 'A step was pinned in this test run: it was not executed, so nothing is proven');
  }
  const { error } = facts.json;
  if (error !== undefined && error !== null && error !== false) return fromError(facts, error);
  return fromResult(facts);
}

function fromError(facts: ResultFacts, error: unknown): Decided {
  if (facts.claimItem !== undefined && sameJson(facts.claimItem.error, error)) {
    return unknown('error_of_earlier_step', 'The error was in the item before the claim was made');
  }
  const stepType = facts.step?.type ?? '';
  const verdict = classifyError(error, facts.json.details, stepType);
  const override = verdict.status === null ? undefined : facts.overrides.get(verdict.status);
  const outcome = override ?? verdict.outcome;
  const reason =
    override === undefined ? verdict.reason : `status ${verdict.status} means ${override} by this node's own rule`;
  if (outcome === 'confirmed') return unlessRepeated(facts, { outcome, reason: capital(reason), cause: 'status_rule' });
  if (outcome === 'unknown') return unknown('not_proven', `It may have happened: ${reason}`);
  return ifJudgeable(facts, reason);
}

/** A known error is evidence only when it is the whole story: one step, one try, one request, no redirect. */
function ifJudgeable(facts: ResultFacts, reason: string): Decided {
  const doubt = doubtOf(facts);
  if (doubt !== undefined) return unknown('not_proven', `It may have happened: ${reason}, but ${doubt}`);
  return { outcome: 'failed', reason: `It did not happen: ${reason}`, cause: 'refused' };
}

function doubtOf({ step, stepsBetween, runFailed, resultsOfSameInput, statedOnce }: ResultFacts): string | undefined {
  if (step === undefined) {
    return stepsBetween > 1
      ? 'there are several steps since the claim and it cannot be told which one failed'
      : 'the step since the claim cannot be told';
  }
  if (runFailed) return `the run of "${step.name}" ended with an error of its own`;
  if ((resultsOfSameInput ?? 1) > 1) return `"${step.name}" gave other results for the same claim as well`;
  if (!(step.triesOnce ?? statedOnce)) {
    return `"${step.name}" ${step.triesOnce === false ? 'has Retry On Fail on' : 'may have tried more than once'} and only the last error is seen`;
  }
  if (!(step.followsNoRedirects ?? statedOnce)) {
    return `"${step.name}" may have been redirected after it acted (switch off Redirects in its options${step.followsNoRedirects === undefined ? ', or state that it follows none' : ''})`;
  }
  if (!(step.sendsOneRequest ?? statedOnce)) return `"${step.name}" may have sent several requests`;
  return undefined;
}

function fromResult(facts: ResultFacts): Decided {
  const { json } = facts;
  const { statusCode } = json;
  const status = asStatus(statusCode);
  const override = status === null ? undefined : facts.overrides.get(status);
  if (override !== undefined) {
    const reason = `status ${status} means ${override} by this node's own rule`;
    if (override === 'failed') return ifJudgeable(facts, reason);
    if (override === 'unknown') return unknown('not_proven', `It may have happened: ${reason}`);
  }
  const nothing = provesNothing(facts, override === 'confirmed');
  if (nothing !== undefined) return nothing;
  return unlessRepeated(facts, {
    outcome: 'confirmed',
    reason: "It happened: this is the step's own result",
    cause: 'result',
  });
}

/** A success after tries that failed says nothing of those: a 503 may have followed an effect as well. */
function unlessRepeated({ mayHaveRepeated }: ResultFacts, decided: Decided): Decided {
  if (!mayHaveRepeated) return decided;
  return unknown(
    'step_repeated',
    'It happened, but Retry On Fail is on at the step and it took long enough to have been sent more than once: look how often it happened, and switch Retry On Fail off',
  );
}

/** n8n's Success output lies: a step that throws while it continues on errors sends its input out of Success. */
function provesNothing(facts: ResultFacts, statusAccepted: boolean): Decided | undefined {
  const { json, claimItem } = facts;
  if (facts.runFailed) {
    return unknown('step_failed', 'The run data of a step say that it failed, although an item left on its output');
  }
  if (isRecord(json.claim)) {
    return unknown('input_passed_on', "The item still carries the claim: it is the step's input, not its result");
  }
  if (Object.keys(json).length === 0) return unknown('empty_result', 'The item is empty and proves nothing');
  if (claimItem === undefined) {
    return unknown(
      'not_compared',
      'The claim was given by token and cannot be traced, so the result cannot be told from the input: choose the outcome instead',
    );
  }
  if (facts.stepsWithThisItem > 1) {
    return unknown('input_passed_on', 'The last step passed on what an earlier step gave it: it is not a result');
  }
  const refused = statusAccepted ? undefined : refusedStatus(facts);
  if (refused !== undefined) return refused;
  const said = saysItFailed(json) ?? (isRecord(json.body) ? saysItFailed(json.body) : undefined);
  if (said !== undefined) return unknown('result_says_no', `The result itself says that it did not work (${said})`);
  if (facts.reference !== '' && facts.claimValues.texts.has(facts.reference)) {
    return unknown(
      'reference_not_new',
      "The reference was in the claim's own item already: choose the ID that the destination gave",
    );
  }
  if (!holdsSomethingNew(json, facts.claimValues)) {
    return unknown('nothing_new', "Nothing in the item is new: every value was in the claim's own item");
  }
  return undefined;
}

function refusedStatus({ json, neverErrors }: ResultFacts): Decided | undefined {
  const { statusCode } = json;
  const status = asStatus(statusCode);
  const isSuccess = status !== null && status >= 200 && status <= 299;
  if (statusCode !== undefined && !isSuccess) {
    const words = status === null ? 'no status that is known' : classifyStatus(status).reason;
    return unknown('status_not_success', `The answer is not a success: ${words}`);
  }
  if (neverErrors && !isSuccess) {
    return unknown(
      'never_error',
      'The HTTP Request has Never Error on: without a 2xx statusCode (Include Response Headers and Status) its item proves nothing',
    );
  }
  return undefined;
}

function saysItFailed(json: Record<string, unknown>): string | undefined {
  for (const name of ['ok', 'success', 'succeeded']) if (json[name] === false) return `${name} is false`;
  if (Array.isArray(json.errors) && json.errors.length > 0) return 'it holds errors';
  for (const name of ['status', 'code']) {
    const status = typeof json[name] === 'number' ? asStatus(json[name]) : null;
    if (status !== null && status >= 400) return `${name} is ${status}`;
  }
  return undefined;
}

function unknown(cause: string, reason: string): Decided {
  return { outcome: 'unknown', reason, cause };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
