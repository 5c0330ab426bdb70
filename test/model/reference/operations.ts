import { type ConfigureAsk } from './asks';
import { Having } from './expected';
import { keyAt, policyOf, type World } from './world';

interface Reply {
  status: number;
  body: unknown;
}

/** Two callers with conflicting settings: the second is told both, unless it names the revision that it saw. */
export function configure(world: World, { key: place, change, revision }: ConfigureAsk): Reply {
  const { workspace, operation } = keyAt(world, place);
  const present = policyOf(world, place);
  const settings = present as unknown as Record<string, unknown>;
  const differing = Object.keys(change).filter((name) => change[name] !== settings[name]);
  const shown = (policy: object): Having => new Having({ name: operation, ...policy });
  if (differing.length === 0 && present.configured) return { status: 200, body: shown(present) };
  const isCurrent = revision === present.revision || (revision === undefined && !present.configured);
  if (differing.length > 0 && !isCurrent) {
    const conflicts = differing.map((field) => ({ field, current: settings[field], given: change[field] }));
    return {
      status: 409,
      body: new Having({ code: 'policy_conflict', field: differing[0], revision: present.revision, conflicts }),
    };
  }
  const next = { ...present, ...change, configured: true, revision: present.revision + 1 };
  if (next.safeRepeat && next.destinationIdempotency !== 'key') {
    return { status: 400, body: new Having({ code: 'invalid_policy', field: 'destinationIdempotency' }) };
  }
  if (next.safeRepeat && next.destinationWindowSeconds === null) {
    return { status: 400, body: new Having({ code: 'invalid_policy', field: 'destinationWindowSeconds' }) };
  }
  world.policies[`${workspace} ${operation}`] = next;
  return { status: 200, body: shown(next) };
}
