import { type ProblemCode } from '../domain/problem';

/** What each problem code means, for readers of an answer (`title`) and of the API document (`meaning`). */
export interface ProblemKind {
  title: string;
  meaning: string;
}

export const PROBLEM_KINDS: Record<ProblemCode, ProblemKind> = {
  invalid_request: {
    title: 'The request is not as the API describes it',
    meaning: 'A field is missing, unknown, of the wrong type or out of range; `field` names it. Nothing was changed.',
  },
  invalid_key: {
    title: 'A part of the action key cannot be used',
    meaning: 'Account, subject, operation or version is not one that an action can have. Nothing was changed.',
  },
  invalid_details: {
    title: 'The JSON cannot be kept as it was sent',
    meaning:
      'Details or evidence hold what would be stored as something else (integers beyond 2^53, NUL, half characters), or are too large or too deep. Nothing was changed.',
  },
  invalid_token: {
    title: 'This is not a claim token',
    meaning: 'Send the claimToken that the claim was answered with, unchanged. Nothing was recorded.',
  },
  subject_version_mixed: {
    title: 'The stream counts in another way',
    meaning: 'Sequence numbers and times were mixed in one stream of one subject. Nothing was claimed.',
  },
  claim_token_unknown: {
    title: 'No action knows this claim token',
    meaning: 'The token belongs to another workspace or another ledger, or was altered. Nothing was recorded.',
  },
  action_unknown: { title: 'There is no such action', meaning: 'This workspace has no action of that ID or key.' },
  not_found: { title: 'There is nothing here', meaning: 'The address is not one of the API, or names nothing.' },
  not_applicable: {
    title: 'The action is not in a state that allows this',
    meaning: 'The transitions table has no row for this command in this state. Nothing was changed.',
  },
  stale_resolution: {
    title: 'The action has moved on since it was looked up',
    meaning:
      'attempt or historySeq is not the present one. The state was not changed; what was found is kept in the history. Read the action again and decide on what it says now.',
  },
  not_settled: {
    title: 'Not found proves nothing yet',
    meaning: "The operation's settle time is not over. Look the action up again later.",
  },
  policy_conflict: {
    title: 'Somebody else has set this operation otherwise',
    meaning: 'The revision is not the present one; both values of each differing field are named. Nothing was changed.',
  },
  invalid_policy: {
    title: 'The settings do not fit together',
    meaning: 'One setting needs another one that is missing. Nothing was changed.',
  },
  unauthorized: {
    title: 'An API key is needed',
    meaning: 'The API key is missing, unknown, revoked or expired. Nothing was done.',
  },
  forbidden: {
    title: 'The API key does not allow this',
    meaning: 'The key lacks the scope that this call needs. Nothing was done.',
  },
  method_not_allowed: {
    title: 'This address does not take this method',
    meaning: 'The Allow header says which methods it takes.',
  },
  not_acceptable: { title: 'This form of answer is not available', meaning: 'Answers are JSON.' },
  payload_too_large: {
    title: 'The request is too large',
    meaning:
      'At most 1,000 items and 5 MiB in one request, and 20 receipts, heartbeats or releases for one action. What was refused changed nothing; send it in parts.',
  },
  unsupported_media_type: {
    title: 'The body is not JSON',
    meaning: 'Bodies are application/json in UTF-8, not compressed. Nothing was changed.',
  },
  too_many_requests: {
    title: 'Too many requests',
    meaning: 'Wait as long as Retry-After says, then send the same request again.',
  },
  key_collision: {
    title: 'Two action keys have the same identity',
    meaning: 'Another action is stored under the same hash. Nobody was told to proceed. Report this.',
  },
  internal: {
    title: 'Something unforeseen happened',
    meaning: 'The log has the reason. Do not carry out the action; send the same request again with its request token.',
  },
  ledger_unavailable: {
    title: 'The ledger cannot decide at present',
    meaning:
      'Its database does not answer or does not confirm. Do not carry out the action; send the same request again with its request token after Retry-After.',
  },
};
