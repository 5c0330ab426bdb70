import { connect, Engine } from './engine';
import type { WorkflowDefinition } from './engine';
import { noOp } from './helper-nodes';
import type { Json } from './json';
import { claimNode, ledgerNodeTypes, start } from './ledger-nodes';
import { agreeable, batch } from './scripted-ledger';
import type { ScriptedLedger, Script } from './scripted-ledger';

export function engineFor(ledger: ScriptedLedger): Engine {
  return new Engine({
    nodeTypes: { ...ledgerNodeTypes, 'test.step': noOp },
    credentials: { ledger: { baseUrl: `${ledger.url}/`, apiKey: 'al_test', ledgerId: '' } },
  });
}

/** The claims are answered one by one; everything else as by a ledger in good order. */
export function claimsAnswered(answer: (claim: Json, position: number) => unknown): Script {
  return (received, earlier) =>
    received.path === '/v1/claims' ? batch(received.body.claims.map(answer)) : agreeable(received, earlier);
}

export function guarded(
  parameters: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): WorkflowDefinition {
  return {
    nodes: [
      start(),
      claimNode('Claim', { ...more, parameters: parameters as never }),
      { name: 'Proceed', type: 'test.step', onError: 'continueErrorOutput' },
      { name: 'Already Done', type: 'test.step' },
      { name: 'Hold', type: 'test.step' },
    ],
    connections: connect({ Start: [['Claim']], Claim: [['Proceed'], ['Already Done'], ['Hold']] }),
  };
}
