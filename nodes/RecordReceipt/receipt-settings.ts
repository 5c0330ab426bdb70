import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../shared/ledger-api';
import type { Outcome } from '../shared/ledger-api';
import { namesOf } from '../shared/value-at';
import { toReference } from '../shared/evidence';
import { asStatus } from './outcome';

/** What the builder chose for one item. */
export interface ReceiptSettings {
  claim: 'automatic' | 'token';
  claimToken: string;
  outcome: Outcome | 'decide';
  reference: string;
  evidenceFields: string[] | 'all' | 'none';
  cause: string;
  statusRules: ReadonlyMap<number, Outcome>;
  stepTriesOnce: boolean;
}

export function readReceiptSettings(context: IExecuteFunctions, itemIndex: number): ReceiptSettings {
  const claim = context.getNodeParameter('claim', itemIndex, 'automatic') as ReceiptSettings['claim'];
  const options = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
  return {
    claim,
    claimToken: claim === 'token' ? readToken(context, itemIndex) : '',
    outcome: context.getNodeParameter('outcome', itemIndex, 'decide') as ReceiptSettings['outcome'],
    reference: toReference(context.getNodeParameter('reference', itemIndex, '')),
    evidenceFields: readEvidenceFields(context, itemIndex),
    cause: typeof options.cause === 'string' ? options.cause.trim() : '',
    statusRules: readStatusRules(context, itemIndex, options),
    stepTriesOnce: options.stepTriesOnce === true,
  };
}

function readToken(context: IExecuteFunctions, itemIndex: number): string {
  const token = context.getNodeParameter('claimToken', itemIndex, '');
  if (typeof token !== 'string' || token.trim() === '') {
    throw new NodeOperationError(context.getNode(), 'The claim token is empty', {
      itemIndex,
      description:
        'This item has no claim token, so no receipt was recorded for it. Hand on the field claim from the Claim Action, or set Claim to Automatic.',
    });
  }
  return token.trim();
}

function readEvidenceFields(context: IExecuteFunctions, itemIndex: number): ReceiptSettings['evidenceFields'] {
  const evidence = context.getNodeParameter('evidence', itemIndex, 'whole');
  if (evidence === 'none') return 'none';
  if (evidence !== 'fields') return 'all';
  return namesOf(context.getNodeParameter('evidenceFields', itemIndex, ''));
}

function readStatusRules(
  context: IExecuteFunctions,
  itemIndex: number,
  options: IDataObject,
): ReadonlyMap<number, Outcome> {
  const rules = isRecord(options.statusRules) ? options.statusRules.rules : undefined;
  const meanings = new Map<number, Outcome>();
  for (const rule of Array.isArray(rules) ? rules.filter(isRecord) : []) {
    for (const name of namesOf(String(rule.status ?? ''))) {
      const status = asStatus(name);
      if (status === null) {
        throw new NodeOperationError(context.getNode(), `"${name}" in the Status Rules is not an HTTP status`, {
          itemIndex,
          description:
            'Give three-digit statuses such as 402, separated by commas. No receipt was recorded for this item.',
        });
      }
      meanings.set(status, rule.outcome as Outcome);
    }
  }
  return meanings;
}
