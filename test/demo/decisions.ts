import type { FinishedRun, WorkflowDefinition } from '@action-ledger/test-nodes';

import type { Row } from './report';

interface ClaimFacts {
  decision: string;
  reason: string;
}

const OUTPUTS = [0, 1, 2];

const ORDER = ['proceed', 'already_done', 'in_progress', 'unknown', 'stale'];
const inOrder = ([one]: [string, number], [other]: [string, number]): number =>
  ORDER.indexOf(one) - ORDER.indexOf(other);

/** Decisions whose reason tells a person what to do. */
const WORTH_READING = ['unknown', 'stale'];

/** How often the ledger decided what, by operation: read from the items that left each Claim Action. */
export class Decisions {
  private reason: string | null = null;
  private readonly counts = new Map<string, Map<string, number>>();

  add({ nodes }: WorkflowDefinition, run: FinishedRun): void {
    for (const { name, type, parameters } of nodes) {
      if (!type.endsWith('.claimAction')) continue;
      const { value: operation } = parameters?.operationName as { value: string };
      for (const output of OUTPUTS) {
        for (const { claim } of run.json(name, output)) this.count(operation, claim as ClaimFacts);
      }
    }
  }

  /** `reserve-seat: 1 proceed, 49 in progress`, a line for each operation. Forgets what it gave. */
  take(): Pick<Row, 'decisions' | 'reason'> {
    const decisions = [...this.counts].map(([operation, counts]) => {
      const said = [...counts].sort(inOrder).map(([decision, count]) => `${count} ${decision.replaceAll('_', ' ')}`);
      return `${operation}: ${said.join(', ')}`;
    });
    const { reason } = this;
    this.counts.clear();
    this.reason = null;
    return { decisions, reason };
  }

  private count(operation: string, { decision, reason }: ClaimFacts): void {
    if (WORTH_READING.includes(decision)) this.reason = reason;
    const counts = this.counts.get(operation) ?? new Map<string, number>();
    counts.set(decision, (counts.get(decision) ?? 0) + 1);
    this.counts.set(operation, counts);
  }
}
