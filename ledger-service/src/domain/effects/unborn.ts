import { type Action } from '../action';
import { type ClaimCommand, type RegisterCommand } from '../commands';
import { type Situation } from '../decision';

/** What a key is before anything is known of it. */
export function unborn(s: Situation<ClaimCommand | RegisterCommand>): Action {
  return {
    workspaceNo: s.workspaceNo,
    id: s.actionId,
    no: 0,
    revision: 0,
    key: s.command.key,
    operationNo: s.operationNo,
    state: 'pending',
    since: s.now,
    createdAt: s.now,
    attempt: 0,
    historySeq: 0,
    claimedFrom: 'pending',
    leaseMs: 0,
    secret: s.randomUuid(),
    callId: null,
    callPosition: 0,
    holderId: null,
    testRun: false,
    idempotencyKey: null,
    keyClaimedAt: null,
    keyWindowMs: null,
    keyAttempts: 0,
    rotateKey: false,
    unresolved: [],
    failedReceipts: 0,
    fingerprint: null,
    effectSeen: false,
    receipts: [],
    references: [],
    confirmedAttempt: null,
    contradictions: [],
    cause: null,
    open: null,
  };
}
