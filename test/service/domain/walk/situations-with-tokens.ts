import { type SituationName, SITUATION_NAMES } from '../situations';

/** No attempt was ever made, so nobody holds a claim token. */
export const NEVER_CLAIMED = {
  because: 'there is no claim token',
  in: ['none', 'pending: registered', 'confirmed: by reconciliation, never claimed'],
} as const satisfies { because: string; in: readonly SituationName[] };

const WITH_OLDER_ATTEMPT: readonly SituationName[] = [
  'pending: released twice',
  'in progress: a repeat, lease live',
  'in progress: a repeat, lease over',
  'in progress: after a failed attempt',
  'in progress: after one that did not happen',
  'in progress: effect seen, lease live',
  'in progress: effect seen, lease over',
  'confirmed: by the second attempt',
  'confirmed: by an older attempt',
  'failed: twice',
  'unknown: a repeat was refused',
  'unknown: a repeat crashed too',
  'unknown: after a failed attempt',
];

export const NO_OLDER_ATTEMPT: { because: string; in: readonly SituationName[] } = {
  because: 'there is no older attempt',
  in: SITUATION_NAMES.filter((name) => !WITH_OLDER_ATTEMPT.includes(name)),
};
