import { NodeConnectionTypes } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { readHolder } from '../shared/claim-holder';
import { holdClaims } from '../shared/held-claims';
import { neverOutputUndecided, warnOfAlwaysOutputData } from '../shared/n8n-internals';
import {
  asNodeError,
  failAll,
  failureOf,
  onlyErrors,
  problemFailure,
  thrownFailure,
  toErrorItem,
  toNodeError,
} from '../shared/node-errors';
import type { ItemFailure } from '../shared/node-errors';
import { searchOperations } from '../shared/operation-locator';
import { messageOf } from '../shared/transport';
import { giveBack, LedgerInquiry } from './ask-ledger';
import type { AnsweredClaim, PreparedClaim } from './ask-ledger';
import { businessIdHints } from './key-hints';
import { claimProperties } from './parameters';
import { readClaim } from './read-claim';
import { HOLD, lateAnswer, outputOf, OUTPUTS, toItem } from './route-answers';
import { workflowHints } from './workflow-hints';

const NOTHING_EXECUTED = 'Nothing was let through and nothing was executed.';

export class ClaimAction implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Claim Action',
    name: 'claimAction',
    icon: { light: 'file:claimAction.svg', dark: 'file:claimAction.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operationName"]["value"] }}',
    description: 'Ask the Action Ledger service whether the next step may run, so that a repeated event does it once',
    defaults: { name: 'Claim Action' },
    usableAsTool: undefined,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main, NodeConnectionTypes.Main],
    outputNames: ['Proceed', 'Already Done', 'Hold'],
    credentials: [{ name: 'actionLedgerApi', required: true }],
    properties: claimProperties,
  };

  methods = { listSearch: { searchOperations } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    try {
      if (neverOutputUndecided(this)) warnOfAlwaysOutputData(this);
      return await claimItems(this, items);
    } catch (error) {
      // n8n sends the input of a node that throws out of output 0, which is Proceed, whenever it continues on errors.
      if (this.continueOnFail()) return onlyErrors(OUTPUTS, failAll(items, thrownFailure(0, error, NOTHING_EXECUTED)));
      throw asNodeError(this, error);
    }
  }
}

async function claimItems(context: IExecuteFunctions, items: INodeExecutionData[]): Promise<INodeExecutionData[][]> {
  const continues = context.continueOnFail();
  const { claims, failures } = prepare(context, items);
  if (!continues && failures[0] !== undefined) throw toNodeError(context, failures[0]);

  const inquiry = new LedgerInquiry(context, readWaitMs(context));
  try {
    const unanswered = await inquiry.ask(claims);
    if (unanswered !== undefined) {
      await inquiry.giveAllBack();
      const failed = claims.map(({ itemIndex }) => failureOf(itemIndex, unanswered, NOTHING_EXECUTED));
      if (!continues) throw toNodeError(context, failureOf(failed[0]?.itemIndex ?? 0, unanswered, NOTHING_EXECUTED));
      return onlyErrors(OUTPUTS, [...failures, ...failed]);
    }
    const refused = inquiry.answered.flatMap(refusal);
    if (!continues && refused[0] !== undefined) {
      await inquiry.giveAllBack();
      throw toNodeError(context, refused[0]);
    }
    const outputs = await route(context, items, inquiry.answered);
    outputs[HOLD]?.push(...[...failures, ...refused].map(toErrorItem));
    warn(context, claims);
    return outputs;
  } catch (error) {
    await inquiry.giveAllBack();
    throw asNodeError(context, error);
  }
}

function prepare(
  context: IExecuteFunctions,
  items: INodeExecutionData[],
): { claims: PreparedClaim[]; failures: ItemFailure[] } {
  const holder = readHolder(context);
  const claims: PreparedClaim[] = [];
  const failures: ItemFailure[] = [];
  for (const itemIndex of items.keys()) {
    try {
      claims.push({ itemIndex, claim: readClaim(context, itemIndex, holder) });
    } catch (error) {
      failures.push(thrownFailure(itemIndex, error, NOTHING_EXECUTED));
    }
  }
  return { claims, failures };
}

function refusal({ itemIndex, result }: AnsweredClaim): ItemFailure[] {
  return 'problem' in result ? [problemFailure(itemIndex, result.problem, NOTHING_EXECUTED)] : [];
}

async function route(
  context: IExecuteFunctions,
  items: INodeExecutionData[],
  answered: AnsweredClaim[],
): Promise<INodeExecutionData[][]> {
  const outputs: INodeExecutionData[][] = Array.from({ length: OUTPUTS }, () => []);
  const late: string[] = [];
  const held: string[] = [];
  for (const { itemIndex, result, leaseAge } of answered) {
    const item = items[itemIndex];
    if (!('answer' in result) || item === undefined) continue;
    let { answer } = result;
    const token = answer.claimToken ?? '';
    if (answer.decision === 'proceed') {
      const ageMs = leaseAge.atMostMs();
      const isLate = ageMs > (answer.leaseMs ?? 0) / 2;
      (isLate ? late : held).push(token);
      if (isLate) answer = lateAnswer(answer, ageMs);
    }
    outputs[outputOf(answer)]?.push(toItem(item, itemIndex, answer));
  }
  holdClaims(context, held);
  if (late.length > 0)
    await giveBack(
      context,
      late.map((claimToken) => ({ claimToken })),
    );
  return outputs;
}

function readWaitMs(context: IExecuteFunctions): number {
  try {
    const { waitSeconds } = context.getNodeParameter('options', 0, {}) as IDataObject;
    return typeof waitSeconds === 'number' && waitSeconds > 0 ? Math.min(waitSeconds, 30) * 1_000 : 0;
  } catch {
    // An expression that fails for the first item is that item's failure; it must not stop the others.
    return 0;
  }
}

function warn(context: IExecuteFunctions, claims: PreparedClaim[]): void {
  if (typeof context.addExecutionHints !== 'function') return;
  try {
    context.addExecutionHints(...businessIdHints(context, claims), ...workflowHints(context));
  } catch (error) {
    // A warning that cannot be given must not cost the claims.
    context.logger.warn(`Claim Action could not give its hints: ${messageOf(error)}`);
  }
}
