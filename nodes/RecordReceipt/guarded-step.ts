import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../shared/ledger-api';
import { readStepInternals } from '../shared/n8n-internals';
import { isNodeType } from '../shared/workflow-path';
import type { SourceOfItems, UpstreamNode } from '../shared/workflow-path';

/** What is known about how the guarded step behaves; undefined where n8n does not tell. */
export interface GuardedStep {
  name: string;
  type: string;
  triesOnce: boolean | undefined;
  followsNoRedirects: boolean | undefined;
  sendsOneRequest: boolean | undefined;
}

/** These hand their input items on unchanged, so an item that left them is still the step's before them. */
const PASSES_ITEMS_ON = ['if', 'switch', 'filter', 'noOp', 'merge', 'wait', 'limit', 'sort', 'splitInBatches'];

export function passesItemsOn(node: UpstreamNode): boolean {
  return node.disabled || PASSES_ITEMS_ON.some((type) => isNodeType(node, type));
}

/** The one step between Claim Action and here; undefined with none or several: then nobody can tell which one failed. */
export function theOneStep(
  context: IExecuteFunctions,
  between: UpstreamNode[],
  source: SourceOfItems | undefined,
): GuardedStep | undefined {
  const [step, ...others] = between;
  if (step === undefined || others.length > 0 || source?.node !== step.name) return undefined;
  const { retryOnFail } = readStepInternals(context, step.name, source.run);
  return {
    name: step.name,
    type: step.type,
    triesOnce: retryOnFail === undefined ? undefined : !retryOnFail,
    followsNoRedirects: followsNoRedirects(step),
    sendsOneRequest: sendsOneRequest(step),
  };
}

/** HTTP Request follows redirects unless they are switched off; since version 4 also when nothing is set. */
function followsNoRedirects(step: UpstreamNode): boolean | undefined {
  if (isNodeType(step, 'emailSend')) return true;
  if (!isNodeType(step, 'httpRequest')) return undefined;
  const redirect = option(step, 'redirect');
  if (redirect === undefined) return step.typeVersion < 4;
  const follow = isRecord(redirect) && isRecord(redirect.redirect) ? redirect.redirect.followRedirects : undefined;
  return follow === undefined || follow === false;
}

function sendsOneRequest(step: UpstreamNode): boolean | undefined {
  if (isNodeType(step, 'emailSend')) return true;
  if (!isNodeType(step, 'httpRequest')) return undefined;
  const pagination = option(step, 'pagination');
  if (!isRecord(pagination) || !isRecord(pagination.pagination)) return true;
  return pagination.pagination.paginationMode === 'off';
}

/** An HTTP Request that hands a refusal over as if it were a result. An expression counts as switched on. */
export function neverErrors(node: UpstreamNode): boolean {
  if (!isNodeType(node, 'httpRequest')) return false;
  const response = option(node, 'response');
  const neverError = isRecord(response) && isRecord(response.response) ? response.response.neverError : undefined;
  return neverError !== undefined && neverError !== false;
}

function option(node: UpstreamNode, name: string): unknown {
  const options: unknown = node.parameters.options;
  return isRecord(options) ? options[name] : undefined;
}
