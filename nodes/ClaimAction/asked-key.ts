import type { ClaimRequest } from '../shared/ledger-api';

/**
 * The written form of the key that a claim asks for, by the ledger's own rule. A permission that names another key is
 * permission for something else.
 */
export function askedKey({ account, subject, operation, version }: ClaimRequest): string {
  const parts = [account ?? 'default', subject, operation].map(writtenPart).join(':');
  return (version ?? 1) === 1 ? parts : `${parts}:v${version}`;
}

function writtenPart(part: string): string {
  return part.normalize('NFC').trim().replaceAll('%', '%25').replaceAll(':', '%3A');
}
