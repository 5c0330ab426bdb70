import { isUtf8 } from 'node:buffer';

import { type FastifyInstance, type FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';

import { Problem } from '../domain/problem';

export const MAX_BODY_BYTES = 5 * 1024 * 1024;

/**
 * Bodies are JSON in UTF-8 and nothing else. Bytes that are not UTF-8 would be read as replacement characters, and so as
 * another key than was sent; they are refused.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      done(null, jsonOf(request, body));
    } catch (error) {
      done(error as Error);
    }
  });
}

function jsonOf(request: FastifyRequest, body: Buffer): unknown {
  refuseOtherEncodings(request);
  if (body.length === 0) throw refused('The body is empty. Nothing was changed.');
  if (!isUtf8(body)) throw refused('The body is not UTF-8. Nothing was changed.', 'Send the JSON encoded as UTF-8.');
  const text = body.toString('utf8');
  try {
    return secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' }) as unknown;
  } catch (error) {
    throw (
      poisoned(text) ?? refused(`The body is not JSON: ${shortened((error as Error).message)}. Nothing was changed.`)
    );
  }
}

function refuseOtherEncodings({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem(
      'unsupported_media_type',
      `A body with Content-Encoding ${encoding} is not read. Nothing was changed.`,
      {
        field: 'Content-Encoding',
        hint: 'Send the body uncompressed.',
      },
    );
  }
  const charset = /;\s*charset\s*=\s*"?([^;"\s]+)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('unsupported_media_type', `A body in ${charset} is not read. Nothing was changed.`, {
      field: 'Content-Type',
      hint: 'JSON is sent in UTF-8 (RFC 8259, section 8.1).',
    });
  }
}

const FORBIDDEN = new Set(['__proto__', 'constructor']);

/** Finds what the parser refused, to name it; null where the text is no JSON at all. */
function poisoned(text: string): Problem | null {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return null;
  }
  const open: { value: unknown; path: string }[] = [{ value: root, path: '' }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at.value === null || typeof at.value !== 'object') continue;
    for (const [name, member] of Object.entries(at.value)) {
      const path = Array.isArray(at.value) ? `${at.path}[${name}]` : `${at.path}.${name}`;
      // A nest of many thousand levels would make a path of as many.
      if (path.length < 1000) open.push({ value: member, path });
      if (!FORBIDDEN.has(name)) continue;
      const field = path.replace(/^\./, '');
      return new Problem('invalid_request', `${field} is not a name that a field can have. Nothing was changed.`, {
        field,
      });
    }
  }
  return refused('The body has a field named __proto__ or constructor. Nothing was changed.');
}

const shortened = (message: string): string => message.slice(0, 120).toWellFormed();

const refused = (message: string, hint?: string): Problem =>
  new Problem('invalid_request', message, { field: 'body', hint });
