import { readFileSync } from 'node:fs';
import path from 'node:path';
import { apiDocument } from '../../../ledger-service/src/http/api-document';

interface Operation {
  summary?: string;
  description?: string;
  tags?: string[];
  responses: Record<string, { description?: string; content?: Record<string, object> }>;
}

let document: {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};

beforeAll(async () => {
  document = JSON.parse(JSON.stringify(await apiDocument())) as typeof document;
});

test('the committed document is the one that the routes make (npm run openapi --workspace ledger-service)', () => {
  const file = path.resolve(__dirname, '../../../ledger-service/openapi.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(document);
});

test('every call says what it does, and how it can fail', () => {
  expect(document.openapi).toBe('3.1.0');
  for (const [url, methods] of Object.entries(document.paths)) {
    for (const [method, call] of Object.entries(methods)) {
      const named = `${method} ${url}`;
      expect([named, call.summary, call.description, call.tags]).toEqual([
        named,
        expect.any(String),
        expect.any(String),
        [expect.any(String)],
      ]);
      for (const [status, { content = {} }] of Object.entries(call.responses)) {
        if (Number(status) >= 400)
          expect([named, status, Object.keys(content)]).toEqual([named, status, ['application/problem+json']]);
      }
      if (url.startsWith('/v1/'))
        expect(Object.keys(call.responses)).toEqual(expect.arrayContaining(['200', '401', '503']));
    }
  }
});

test('every reference leads to a schema that is there, and every schema is used', () => {
  const text = JSON.stringify(document);
  const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
  expect([...referred].sort()).toEqual(Object.keys(document.components.schemas).sort());
  expect(text.match(/"\$ref":"(?!#\/components\/schemas\/)/)).toBeNull();
});
