import { createHmac, timingSafeEqual } from 'node:crypto';

import { Problem } from './problem';

/**
 * A claim token says which action and which attempt it is for and proves it: 16 bytes of the action's identity, 4 of the
 * attempt, 16 of proof. The proof is an HMAC under the action's own random secret, so that each attempt has its own and
 * the token of one attempt tells nothing about the next, and finding an action by its token needs no index.
 */
export interface ClaimToken {
  actionId: string;
  attempt: number;
  proof: Buffer;
}

const PREFIX = 'ct_';
const LENGTH = 36;

const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');

function proofOf(secret: string, attempt: number): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(attempt);
  return createHmac('sha256', uuidBytes(secret)).update(number).digest().subarray(0, 16);
}

export function issueToken(actionId: string, attempt: number, secret: string): string {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(attempt);
  const bytes = Buffer.concat([uuidBytes(actionId), number, proofOf(secret, attempt)]);
  return PREFIX + bytes.toString('base64url');
}

export function readToken(text: unknown, field = 'claimToken'): ClaimToken {
  const bytes =
    typeof text === 'string' && text.startsWith(PREFIX) && text.length < 100
      ? Buffer.from(text.slice(PREFIX.length), 'base64url')
      : Buffer.alloc(0);
  // Written back and compared: base64 decoding skips what it does not know, and a token has one form only.
  if (bytes.length !== LENGTH || PREFIX + bytes.toString('base64url') !== text) {
    throw new Problem('invalid_token', 'This is not a claim token. Nothing was recorded.', {
      field,
      hint: 'Send the claimToken that the claim was answered with, unchanged.',
    });
  }
  const hex = bytes.toString('hex', 0, 16);
  return {
    actionId: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
    attempt: bytes.readUInt32BE(16),
    proof: bytes.subarray(20),
  };
}

export function proves(token: ClaimToken, secret: string): boolean {
  return timingSafeEqual(token.proof, proofOf(secret, token.attempt));
}
