import { type Action } from '../../domain/action';
import { actionView, type ActionView } from '../../domain/action-view';
import { iso } from '../../domain/answers';
import { DEFAULT_POLICY } from '../../domain/policy';
import { Problem } from '../../domain/problem';
import { type Ledger } from '../../store/ledger';
import { type EventSeen } from '../../store/reading';

/** Actions with what their operations allow now. */
export async function viewsOf(ledger: Ledger, workspaceNo: number, actions: readonly Action[]): Promise<ActionView[]> {
  const names = [...new Set(actions.map(({ key }) => key.operation))];
  // Read anew, not from memory: another replica may have set the operation.
  const found = await Promise.all(names.map((name) => ledger.operations.find({ workspaceNo, name })));
  const policies = new Map(names.map((name, index) => [name, found[index]?.policy ?? DEFAULT_POLICY]));
  return actions.map((action) => actionView(action, policies.get(action.key.operation) ?? DEFAULT_POLICY));
}

export async function viewOf(ledger: Ledger, action: Action): Promise<ActionView> {
  const [view] = await viewsOf(ledger, action.workspaceNo, [action]);
  if (view === undefined) throw new Error('An action without a view');
  return view;
}

/** The action, or the problem that this workspace has none of that ID. */
export async function findAction(ledger: Ledger, workspaceNo: number, id: string): Promise<Action> {
  const action = await ledger.reading.byId(workspaceNo, id.toLowerCase());
  if (action === undefined) {
    throw new Problem('action_unknown', 'There is no action of this ID in the workspace of this API key.', {
      field: 'id',
      hint: 'GET /v1/actions finds actions by key, subject, reference or event.',
    });
  }
  return action;
}

interface EventView {
  source: string;
  id: string;
  firstSeenAt: string;
  lastAskedAt: string;
  deliveries: number;
  lastDecision: string;
}

/** One line per event, in the order of its last delivery. */
export const eventViews = (seen: readonly EventSeen[]): EventView[] =>
  seen.map((event) => ({ ...event, firstSeenAt: iso(event.firstSeenAt), lastAskedAt: iso(event.lastAskedAt) }));
