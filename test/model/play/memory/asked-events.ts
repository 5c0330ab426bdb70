import { type Decision } from '../../../../ledger-service/src/domain/decision';
import { type EventName } from '../../../../ledger-service/src/domain/requests';

interface Asks {
  deliveries: number;
  lastAskedAt: number;
  lastDecision: string;
}

interface AskedEvent {
  workspace: string;
  source: string;
  id: string;
  firstSeenAt: number;
  actions: Map<string, Asks>;
}

const iso = (at: number): string => new Date(at).toISOString();

/** Which event asked for which action, and how often: what the store does of it, in its plainest form. */
export class AskedEvents {
  private readonly events = new Map<string, AskedEvent>();

  count(
    workspace: string,
    action: string,
    { id, source, eventId }: EventName,
    { replayed, answer }: Decision,
    now: number,
  ): { deliveries: number; firstSeenAt: number } {
    const name = `${workspace} ${id}`;
    const event = this.events.get(name) ?? { workspace, source, id: eventId, firstSeenAt: now, actions: new Map() };
    this.events.set(name, event);
    const before = event.actions.get(action)?.deliveries ?? 0;
    if (replayed) return { deliveries: before, firstSeenAt: event.firstSeenAt };
    event.actions.set(action, { deliveries: before + 1, lastAskedAt: now, lastDecision: answer });
    return { deliveries: before + 1, firstSeenAt: event.firstSeenAt };
  }

  views(of: string, action: string): object[] {
    return [...this.events.values()].flatMap(({ workspace, source, id, firstSeenAt, actions }) => {
      const asks = actions.get(action);
      if (asks === undefined || workspace !== of) return [];
      return [{ source, id, firstSeenAt: iso(firstSeenAt), ...asks, lastAskedAt: iso(asks.lastAskedAt) }];
    });
  }
}
