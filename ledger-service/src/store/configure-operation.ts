import { normalisePart } from '../domain/action-key';
import { type Operation } from '../domain/policy';
import { changedPolicy, type PolicyChange } from '../domain/policy-change';
import { Problem } from '../domain/problem';
import { type Operations } from './operations';
import { pausePoint } from './pause-point';

const TRIES = 5;

/** Sets an operation. Saved over exactly the revision that the change was decided on. */
export async function configureOperation(
  operations: Operations,
  {
    workspaceNo,
    name: given,
    change,
    revision,
  }: { workspaceNo: number; name: string; change: PolicyChange; revision: number | null },
): Promise<Operation> {
  const name = { workspaceNo, name: normalisePart('name', given) };
  for (let tries = 0; tries < TRIES; tries++) {
    await operations.ensure([name]);
    await pausePoint('policy ensured');
    const present = await operations.find(name);
    await pausePoint('policy found');
    if (present === undefined) throw new Error(`The operation ${name.name} was not made`);
    const policy = changedPolicy(present, change, revision);
    if (policy === null) return present;
    const saved = await operations.save(name, present.revision, policy);
    await pausePoint('policy saved');
    if (saved !== undefined) return saved;
  }
  throw new Problem(
    'ledger_unavailable',
    `The operation "${name.name}" is being set by others at once. Nothing was changed.`,
  );
}
