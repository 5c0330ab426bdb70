import { compile } from '../../../ledger-service/src/http/validation';

interface Seen {
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

interface ApiDocument {
  paths?: Record<string, Record<string, { responses: Record<string, Described> }>>;
}

interface Described {
  content?: Record<string, { schema: object }>;
}

/** Checks each answer against what the API document says of it: its status, its media type and its shape. */
export function answerChecker(document: object): (method: string, url: string, answer: Seen) => void {
  const { paths = {} } = document as ApiDocument;
  const compiled = new Map<object, ReturnType<typeof compile>>();
  const patterns = Object.keys(paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));

  return (method, url, { status, headers, body }) => {
    const path = patterns.find(({ pattern }) => pattern.test(url.replace(/\?.*$/s, '')))?.path;
    const described = path === undefined ? undefined : paths[path]?.[method.toLowerCase()];
    // Addresses and methods that the document does not know are answered with problems all the same.
    const content = described?.responses[String(status)]?.content;
    if (described !== undefined && content === undefined) {
      throw new Error(
        `${method} ${url} answered ${status}, of which the API document says nothing: ${JSON.stringify(body)}`,
      );
    }
    const [mediaType, { schema }] = Object.entries(content ?? PROBLEM)[0] as [string, { schema: object }];
    expect(String(headers['content-type'])).toContain(mediaType);
    const validate = compiled.get(schema) ?? compile(withNames(schema));
    compiled.set(schema, validate);
    if (!validate(body)) {
      throw new Error(
        `${method} ${url} answered ${status} otherwise than described: ${JSON.stringify(validate.errors?.map(({ instancePath, message }) => [instancePath, message]))}\n${JSON.stringify(body)}`,
      );
    }
  };
}

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

/** The document's own named schemas are the ones that the service knows under the same names. */
const withNames = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replace(/"#\/components\/schemas\/(\w+)"/g, '"$1#"')) as object;
