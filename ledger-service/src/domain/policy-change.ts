import { type Operation, type OperationPolicy } from './policy';
import { Problem } from './problem';

/** Settings to change; those that are left out stay as they are. */
export type PolicyChange = Partial<OperationPolicy>;

/**
 * The policy that a change leaves, or null where it leaves all as it is. Two callers with conflicting settings: the
 * second is told both values, unless it names the revision that it saw.
 */
export function changedPolicy(
  operation: Operation,
  change: PolicyChange,
  revision: number | null,
): OperationPolicy | null {
  const { policy, configured } = operation;
  const names = Object.keys(change) as (keyof OperationPolicy)[];
  const differing = names.filter((name) => change[name] !== policy[name]);
  if (differing.length === 0 && configured) return null;
  const mayChange = revision === operation.revision || (revision === null && !configured);
  if (differing.length > 0 && !mayChange) throw conflict(operation, change, differing);
  const changed = { ...policy, ...change };
  refuseUnfitting(changed);
  return changed;
}

function conflict(
  { name, policy, revision }: Operation,
  change: PolicyChange,
  differing: (keyof OperationPolicy)[],
): Problem {
  const conflicts = differing.map((field) => ({ field, current: policy[field], given: change[field] }));
  const both = conflicts
    .map(({ field, current, given }) => `${field} is ${JSON.stringify(current)}, not ${JSON.stringify(given)}`)
    .join('; ');
  return new Problem('policy_conflict', `The operation "${name}" is set otherwise: ${both}. Nothing was changed.`, {
    field: differing[0],
    hint: `If the change is meant, send it again with revision ${revision}.`,
    facts: { conflicts, revision },
  });
}

function refuseUnfitting(policy: OperationPolicy): void {
  if (!policy.safeRepeat) return;
  if (policy.destinationIdempotency !== 'key') {
    throw unfitting('destinationIdempotency', 'safeRepeat needs a destination that honours an idempotency key');
  }
  if (policy.destinationWindowSeconds === null) {
    throw unfitting('destinationWindowSeconds', 'safeRepeat needs to know how long the destination remembers a key');
  }
}

const unfitting = (field: string, why: string): Problem =>
  new Problem('invalid_policy', `${why}. Nothing was changed.`, {
    field,
    hint: 'Set destinationIdempotency to "key" and destinationWindowSeconds to what the destination documents, or leave safeRepeat off.',
  });
