import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * n8n hands the same execute data object to every Retry On Fail try of one node run, and a new one to a manual Retry,
 * to each round of a loop and to each execution. So the object's identity, which nothing stores, is what tells "the
 * same call again" from "asked again by a person". The node's context data would survive a manual Retry and replay an
 * old permission.
 */
const tokensOfRun = new WeakMap<object, string[]>();

/** One request token per call (chunk) of this node run; the same ones when n8n tries the run again. */
export function requestToken(context: IExecuteFunctions, call: number): string {
  const run = context.getExecuteData();
  const tokens = tokensOfRun.get(run) ?? [];
  tokensOfRun.set(run, tokens);
  return (tokens[call] ??= randomUUID());
}

/** After a release the old answers are void: a further try is a new call. */
export function forgetRequestTokens(context: IExecuteFunctions): void {
  tokensOfRun.delete(context.getExecuteData());
}
