import { type ActionState, attemptNumber } from './action-state';
import { type Answer, type Call, type Operation } from './history';
import { saidBy } from './compare-answer';

/** Lines for whoever has to find out what went wrong. Times are milliseconds since the history's first call. */

export function callLine(call: Call, start: number): string {
  const from = (call.invoked - start).toFixed(1);
  const to = call.answer === 'maybe' || call.returned === null ? '…' : (call.returned - start).toFixed(1);
  return `${from.padStart(9)} – ${to.padStart(9)} ms  ${call.caller}: ${asked(call.operation)} → ${answered(call.answer, start)}`;
}

const short = (token: string): string => (token.length > 12 ? `…${token.slice(-8)}` : token);

function asked(operation: Operation): string {
  switch (operation.kind) {
    case 'claim':
      return `claim${operation.requestToken === null ? '' : ` (call ${short(operation.requestToken)})`}`;
    case 'receipt': {
      const names = operation.references ?? [];
      return `receipt ${operation.outcome}${names.length === 0 ? '' : ` ${names.join(', ')}`} with ${short(operation.claimToken)}`;
    }
    case 'heartbeat':
      return `heartbeat with ${short(operation.claimToken)}`;
    case 'release':
      return 'claimToken' in operation.claim
        ? `release with ${short(operation.claim.claimToken)}`
        : `release of call ${short(operation.claim.requestToken)}`;
    case 'ended':
      return `execution ${operation.holder} ended`;
    case 'resolve':
      return `resolve ${operation.outcome} (attempt ${operation.attempt}, historySeq ${operation.historySeq})`;
    case 'override':
      return `override (attempt ${operation.attempt}, historySeq ${operation.historySeq})`;
    case 'register':
    case 'read':
      return operation.kind;
  }
}

function answered(answer: Answer | 'maybe', start: number): string {
  if (answer === 'maybe') return 'no answer (maybe)';
  const { state, attempt, historySeq, claimToken, leaseExpiresAt, replayed, late, repeat } =
    answer as unknown as Record<string, unknown>;
  const facts = [
    saidBy(answer),
    replayed === true ? 'replayed' : null,
    late === true ? 'late' : null,
    repeat === true ? 'repeat' : null,
    typeof state === 'string' ? `state ${state}` : null,
    typeof attempt === 'number' ? `attempt ${attempt}` : null,
    typeof historySeq === 'number' ? `historySeq ${historySeq}` : null,
    typeof claimToken === 'string' ? `token ${short(claimToken)}` : null,
    typeof leaseExpiresAt === 'string' ? `lease to ${(Date.parse(leaseExpiresAt) - start).toFixed(0)} ms` : null,
  ];
  return facts.filter((fact) => fact !== null).join(', ');
}

export function stateLine(action: ActionState, start: number): string {
  if (action.state === 'none') return 'no action';
  const { from, to } = action.lease;
  const ends = from === to ? `${(to - start).toFixed(0)} ms` : `${(from - start).toFixed(0)} ms or later`;
  const lease = action.state === 'in_progress' ? `, lease to ${ends}` : '';
  return `${action.state}, attempt ${attemptNumber(action)}, historySeq ${action.seq}${lease}`;
}
