import { type Action, type Holder } from './action';
import { writtenForm } from './action-key';
import { iso, receiptView, type ReceiptView } from './answers';
import { claimableFailed } from './conditions';
import { type OperationPolicy } from './policy';
import { causeInWords, shortList } from './reasons';
import { type StoredState } from './states';

/** An action as people and the owner's side see it. The claim token and what it is made from are never in it. */
export interface ActionView {
  actionId: string;
  actionKey: string;
  account: string;
  subject: string;
  operation: string;
  version: number;
  state: StoredState;
  attempt: number;
  historySeq: number;
  since: string;
  createdAt: string;
  idempotencyKey: string | null;
  cause: string | null;
  contradictions: string[];
  receipt: ReceiptView | null;
  references: string[];
  lease: { expiresAt: string; holder: Holder | null } | null;
  owner: string | null;
  reviewBy: string | null;
  nextCheckAt: string | null;
  claimable: boolean;
  testRun: boolean;
  summary: string;
}

export function actionView(action: Action, policy: OperationPolicy): ActionView {
  const { key, open, state } = action;
  const claimable = state === 'pending' || (state === 'failed' && claimableFailed({ action, policy }));
  return {
    actionId: action.id,
    actionKey: writtenForm(key),
    ...key,
    state,
    attempt: action.attempt,
    historySeq: action.historySeq,
    since: iso(action.since),
    createdAt: iso(action.createdAt),
    idempotencyKey: action.idempotencyKey,
    cause: action.cause,
    contradictions: action.contradictions,
    receipt: receiptView(action),
    references: action.references,
    lease: state === 'in_progress' && open !== null ? { expiresAt: iso(open.dueAt), holder: open.holder } : null,
    owner: state === 'confirmed' ? null : (open?.owner ?? policy.owner),
    reviewBy: state === 'unknown' && open?.reviewBy != null ? iso(open.reviewBy) : null,
    nextCheckAt: state === 'unknown' && open !== null ? iso(open.dueAt) : null,
    claimable,
    testRun: action.testRun,
    summary: summary(action, policy, claimable),
  };
}

const plainTime = (at: number): string => `${iso(at).replace('T', ' ').slice(0, 19)} UTC`;

/** A few plain sentences for a support person. */
function summary(action: Action, policy: OperationPolicy, claimable: boolean): string {
  const { key, state, attempt, references, open } = action;
  const named = references.length === 0 ? '' : ` The destination's reference is ${shortList(references)}.`;
  const what = `${key.operation} for ${key.subject}`;
  const since = plainTime(action.since);
  const owner = open?.owner ?? policy.owner;
  const sentences: Record<StoredState, string> = {
    pending: `${what} is recorded and nobody is at it.`,
    in_progress: `${what} is under way since ${since} (attempt ${attempt}); its lease ends at ${plainTime(open?.dueAt ?? 0)}.`,
    confirmed: `${what} happened, confirmed at ${since}${action.testRun ? ' by a test run' : ''}.${named}`,
    failed: `${what} did not happen, known since ${since}. ${claimable ? 'It may be claimed again.' : 'It is not tried again.'}`,
    unknown: `${what} may have happened: ${causeInWords(action.cause)}. Unknown since ${since}; it is not repeated until ${owner ?? 'somebody (no owner is set)'} has found out.${named}`,
  };
  const contradicted =
    action.contradictions.length === 0 ? '' : ` There are contradicting records: ${action.contradictions.join(', ')}.`;
  return sentences[state] + contradicted;
}
