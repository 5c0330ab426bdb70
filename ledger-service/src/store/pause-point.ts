/**
 * Named moments between two awaits, at which a test stops the service, lets others act, cuts a connection or ends the
 * process. They exist when the sources are run; the build leaves this file and every call of `pausePoint` out
 * (`scripts/without-pause-points.mjs`), and a test looks that it did.
 */
export const PAUSE_POINTS = [
  // One round of a batch, in its order.
  'operations ensured',
  'actions read',
  'operations of the actions ensured',
  'newest versions known',
  'decided',
  'unchanged answers logged',
  'changes written',
  'followers logged',
  'round over',
  // Around a batch.
  'batch chosen',
  'batch settled',
  'batch failed',
  'batch tried again',
  'caller told',
  // Where one step needs more than one statement.
  'operations looked for',
  'operations made',
  'subject versions moved',
  'event claims counted',
  'due actions leased',
  'overdue leases found',
  'held claims found',
  'policy ensured',
  'policy found',
  'policy saved',
  // A statement and its connection.
  'connected',
  'statement answered',
  'transaction begun',
  'transaction ready to commit',
  'transaction committed',
  // A claim that waits for another holder.
  'first claims answered',
  'woken',
  'claims answered again',
  // HTTP, between what is known and the reply.
  'API key found',
  'batch results known',
  'action to resolve found',
  'resolution recorded',
  'action to override found',
  'override recorded',
  'end of execution recorded',
  'operation of the lease found',
  'due actions taken',
] as const;

export type PausePoint = (typeof PAUSE_POINTS)[number];

type Hook = (point: PausePoint) => void | Promise<void>;

const hooks = new Set<Hook>();

/** Called at every point that is passed, which waits until the hook resolves. Answers what takes the hook off. */
export function onPausePoint(hook: Hook): () => void {
  hooks.add(hook);
  return () => hooks.delete(hook);
}

export async function pausePoint(point: PausePoint): Promise<void> {
  for (const hook of [...hooks]) await hook(point);
}
