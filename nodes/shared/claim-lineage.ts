import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isRecord } from './ledger-api';
import { messageOf } from './transport';
import { isNodeType, nodesBetween, upstreamNodes } from './workflow-path';
import type { SourceOfItems, UpstreamNode } from './workflow-path';

/** The claim that an item goes back to, and the item as it left Claim Action. */
export interface FoundClaim {
  claimNode: string;
  claimToken: string;
  claimItem: Record<string, unknown>;
  between: UpstreamNode[];
}

export interface LineageProblem {
  code: string;
  message: string;
  description: string;
}

export type Lineage = { claim: FoundClaim } | { problem: LineageProblem };

const BY_TOKEN =
  'Keep the field claim in the items, or set Claim to By Token and give the claim token that belongs to each item.';

/**
 * Finds the claim of each input item by following n8n's item pairing back to the Claim Action. What cannot be followed
 * with certainty is an error that says what to do; there is no guess.
 */
export class ClaimLineage {
  private readonly claimNodes: UpstreamNode[];

  private readonly disabledClaimNodes: string[];

  private readonly betweenByClaim = new Map<string, UpstreamNode[]>();

  private readonly proceededByClaim = new Map<string, number>();

  constructor(
    private readonly context: IExecuteFunctions,
    private readonly items: INodeExecutionData[],
    private readonly source: SourceOfItems | undefined,
  ) {
    const claims = upstreamNodes(context, context.getNode().name).filter((node) => isNodeType(node, 'claimAction'));
    this.claimNodes = claims.filter((node) => !node.disabled);
    this.disabledClaimNodes = claims.filter((node) => node.disabled).map((node) => node.name);
  }

  find(itemIndex: number): Lineage {
    if (this.claimNodes.length === 0) return { problem: this.noClaimNode() };

    const resolved: Array<{ node: UpstreamNode; json: Record<string, unknown> }> = [];
    const reasons: string[] = [];
    for (const node of this.claimNodes) {
      const found = this.pairedItem(itemIndex, node.name);
      if ('json' in found) resolved.push({ node, json: found.json });
      else reasons.push(found.reason);
    }
    if (resolved.length === 0) return { problem: pairingLost(this.claimNodes, reasons) };

    const nearest = this.nearest(resolved);
    if (nearest === undefined) return { problem: severalClaims(resolved.map(({ node }) => node.name)) };
    return this.check(itemIndex, nearest.node.name, nearest.json);
  }

  /** All claims that the one upstream Claim Action let through, for one result that stands for all of them. */
  findAll(): { claims: FoundClaim[] } | { problem: LineageProblem } {
    if (this.claimNodes.length === 0) return { problem: this.noClaimNode() };
    const nearest = this.nearest(this.claimNodes.map((node) => ({ node, json: {} })));
    if (nearest === undefined) return { problem: severalClaims(this.claimNodes.map((node) => node.name)) };
    const claimNode = nearest.node.name;
    const between = this.between(claimNode);
    const claims = this.proceededItems(claimNode).flatMap((json) => {
      const token = tokenOf(json.claim);
      return token === undefined ? [] : [{ claimNode, claimToken: token, claimItem: json, between }];
    });
    if (claims.length === 0) return { problem: nothingProceeded(claimNode) };
    return { claims };
  }

  private check(itemIndex: number, claimNode: string, claimItem: Record<string, unknown>): Lineage {
    const claimToken = tokenOf(claimItem.claim);
    if (claimToken === undefined) return { problem: notProceeded(claimNode, claimItem.claim) };

    const carried = this.items[itemIndex]?.json.claim;
    const carriedToken = tokenOf(carried);
    if (carriedToken !== undefined && carriedToken !== claimToken) return { problem: anotherClaim(claimNode) };

    const between = this.between(claimNode);
    const skipped = between.find((node) => node.disabled && isNodeType(node, 'claimAction'));
    if (skipped !== undefined) return { problem: disabledClaim(skipped.name) };

    const byPosition = between.find(pairsByPosition);
    if (byPosition !== undefined && carriedToken === undefined && this.isSeveral(claimNode)) {
      return { problem: pairedByPosition(byPosition.name, claimNode) };
    }
    return { claim: { claimNode, claimToken, claimItem, between } };
  }

  /** The one claim that has all the others upstream of it. In a loop each has the other upstream: then none is. */
  private nearest<T extends { node: UpstreamNode }>(candidates: T[]): T | undefined {
    if (candidates.length === 1) return candidates[0];
    const behindAll = candidates.filter(({ node }) => {
      const upstream = new Set(this.context.getParentNodes(node.name).map((parent) => parent.name));
      return candidates.every((other) => other.node === node || upstream.has(other.node.name));
    });
    return behindAll.length === 1 ? behindAll[0] : undefined;
  }

  private pairedItem(itemIndex: number, node: string): { json: Record<string, unknown> } | { reason: string } {
    try {
      const item: unknown = this.context.getWorkflowDataProxy(itemIndex).$(node).item;
      const json = isRecord(item) ? item.json : undefined;
      return isRecord(json) ? { json } : { reason: 'no item is paired with it' };
    } catch (error) {
      return { reason: messageOf(error) };
    }
  }

  private between(claimNode: string): UpstreamNode[] {
    const from = this.source?.node;
    const known = this.betweenByClaim.get(claimNode);
    if (known !== undefined) return known;
    const between = from === undefined ? [] : nodesBetween(this.context, from, claimNode);
    this.betweenByClaim.set(claimNode, between);
    return between;
  }

  private isSeveral(claimNode: string): boolean {
    if (this.items.length > 1) return true;
    const known = this.proceededByClaim.get(claimNode) ?? this.proceededItems(claimNode).length;
    this.proceededByClaim.set(claimNode, known);
    return known > 1;
  }

  private proceededItems(claimNode: string): Array<Record<string, unknown>> {
    try {
      const all: unknown = this.context.getWorkflowDataProxy(0).$(claimNode).all(0);
      return Array.isArray(all)
        ? all.flatMap((item) => (isRecord(item) && isRecord(item.json) ? [item.json] : []))
        : [];
    } catch {
      return [];
    }
  }

  private noClaimNode(): LineageProblem {
    const disabled = this.disabledClaimNodes[0];
    if (disabled !== undefined) return disabledClaim(disabled);
    return {
      code: 'no_claim',
      message: 'No claim was made before this node',
      description:
        'There is no Claim Action upstream of this node. Put one before the guarded step, or set Claim to By Token.',
    };
  }
}

/** n8n passes items through a disabled node, so an earlier claim would be found in its place. */
function disabledClaim(name: string): LineageProblem {
  return {
    code: 'no_claim',
    message: 'No claim was made before this node',
    description: `The Claim Action "${name}" is disabled: the guarded step ran without asking. Enable it. Nothing was recorded.`,
  };
}

function tokenOf(claim: unknown): string | undefined {
  if (!isRecord(claim)) return undefined;
  return typeof claim.claimToken === 'string' && claim.claimToken !== '' ? claim.claimToken : undefined;
}

/** A Code node that runs once for all items gets its output paired by position: a different order pairs wrongly. */
function pairsByPosition(node: UpstreamNode): boolean {
  if (node.disabled) return false;
  if (isNodeType(node, 'function')) return true;
  return isNodeType(node, 'code') && (node.parameters.mode ?? 'runOnceForAllItems') !== 'runOnceForEachItem';
}

function pairingLost(claimNodes: UpstreamNode[], reasons: string[]): LineageProblem {
  const names = claimNodes.map(({ name }) => `"${name}"`).join(', ');
  return {
    code: 'pairing_lost',
    message: 'This item cannot be traced back to one claim',
    description: `n8n cannot follow it to ${names} (${reasons[0] ?? 'no reason given'}). A node between merges or renews the items. ${BY_TOKEN} If this one result stands for all claims of the run, switch on One Result For Several Claims.`,
  };
}

function severalClaims(names: string[]): LineageProblem {
  return {
    code: 'several_claims',
    message: 'This item goes back to several claims',
    description: `It is paired with ${names.map((name) => `"${name}"`).join(' and ')}, and neither comes after the others. Put one Record Receipt behind each guarded step before the branches meet. ${BY_TOKEN}`,
  };
}

function notProceeded(claimNode: string, claim: unknown): LineageProblem {
  const decision = isRecord(claim) && typeof claim.decision === 'string' ? claim.decision : undefined;
  return {
    code: 'no_claim',
    message: 'No claim was made for this item',
    description:
      decision === undefined
        ? `"${claimNode}" did not ask the ledger about this item (it may be disabled, or have failed). Nothing was recorded.`
        : `"${claimNode}" decided ${decision}, so nothing may have been executed and there is nothing to record. Connect only the steps behind Proceed to this node.`,
  };
}

function nothingProceeded(claimNode: string): LineageProblem {
  return {
    code: 'no_claim',
    message: 'No claim was granted in this run',
    description: `"${claimNode}" let no item through Proceed in its latest run, so there is nothing to record.`,
  };
}

function anotherClaim(claimNode: string): LineageProblem {
  return {
    code: 'another_claim',
    message: 'The item carries another claim than the one it is paired with',
    description: `Its field claim does not belong to the item of "${claimNode}" that n8n pairs it with. A node between changed the order or the pairing. Nothing was recorded. ${BY_TOKEN}`,
  };
}

function pairedByPosition(codeNode: string, claimNode: string): LineageProblem {
  return {
    code: 'paired_by_position',
    message: 'n8n paired by position, which may be the wrong claim',
    description: `"${codeNode}" runs once for all items, so n8n pairs its output with "${claimNode}" by position even if the order changed. Set that node to Run Once for Each Item or put it before the Claim Action. ${BY_TOKEN}`,
  };
}
