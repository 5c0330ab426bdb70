import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { ILoadOptionsFunctions, INodeProperties } from 'n8n-workflow';

import { ActionLedgerApi } from '../../credentials/ActionLedgerApi.credentials';
import { searchOperations } from '../../nodes/shared/operation-locator';
import { ledgerNodeTypes } from './ledger-nodes';
import type { Json } from './json';

const root = path.join(__dirname, '../..');
const types = Object.values(ledgerNodeTypes);

test('only Look Up Action is offered to language models', () => {
  const tools = types.filter(({ description }) => description.usableAsTool === true);
  expect(tools.map(({ description }) => description.name)).toEqual(['lookUpAction']);
  expect(tools[0]!.description.outputs).toHaveLength(1);
});

test.each(types)(
  '$description.displayName has its icons, its codex file and its documentation page',
  ({ description }) => {
    const folder = path.join(root, 'nodes', description.displayName.replace(/ /g, ''));
    const icon = description.icon as { light: string; dark: string };
    for (const file of [icon.light, icon.dark])
      expect(existsSync(path.join(folder, file.replace('file:', '')))).toBe(true);
    const codex = JSON.parse(readFileSync(path.join(folder, `${path.basename(folder)}.node.json`), 'utf8'));
    expect(codex.node).toBe(`n8n-nodes-action-ledger.${description.name}`);
    const page = String(codex.resources.primaryDocumentation[0].url).split('/blob/main/')[1]!;
    expect(existsSync(path.join(root, page))).toBe(true);
  },
);

test('the credential has its documentation page, a masked key and a test', () => {
  const credential = new ActionLedgerApi();
  expect(existsSync(path.join(root, credential.documentationUrl.split('/blob/main/')[1]!))).toBe(true);
  expect(credential.properties.find(({ name }) => name === 'apiKey')!.typeOptions!.password).toBe(true);
  expect(credential.test.request.url).toBe('/v1/whoami');
});

test('a common claim needs two fields', () => {
  const { properties } = ledgerNodeTypes['n8n-nodes-action-ledger.claimAction']!.description;
  const required = properties.filter(({ required: isRequired }: INodeProperties) => isRequired);
  expect(required.map(({ displayName }) => displayName)).toEqual(['Operation', 'Business ID']);
});

test('only one file speaks HTTP, and only one reads what n8n does not publish', () => {
  const files = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory()
        ? files(path.join(folder, entry.name))
        : entry.name.endsWith('.ts')
          ? [path.join(folder, entry.name)]
          : [],
    );
  const using = (text: RegExp) =>
    files(path.join(root, 'nodes'))
      .filter((file) => text.test(readFileSync(file, 'utf8')))
      .map((file) => path.basename(file));
  expect(using(/httpRequest\w*(\.call)?\(|\bfetch\(/)).toEqual(['transport.ts']);
  expect(using(/runExecutionData|pinData|connectionsBySourceNode/)).toEqual(['n8n-internals.ts']);
});

describe('the list of operations', () => {
  function context(answer: unknown) {
    const asked: Json[] = [];
    const self = {
      getCredentials: async () => ({ baseUrl: 'http://ledger', apiKey: 'k', ledgerId: '' }),
      getNode: () => ({ name: 'Claim', type: 'claimAction', typeVersion: 1, position: [0, 0], parameters: {} }),
      helpers: {
        async httpRequestWithAuthentication(_: string, request: unknown) {
          asked.push(request);
          return answer;
        },
      },
    };
    return { asked, context: self as unknown as ILoadOptionsFunctions };
  }

  test('is searched at the ledger, page by page', async () => {
    const operations = [
      { name: 'reserve-seat', configured: true },
      { name: 'send-mail', configured: false },
    ];
    const { asked, context: self } = context({
      statusCode: 200,
      headers: {},
      body: { ledgerId: 'l', operations, nextCursor: 'c2' },
    });
    expect(await searchOperations.call(self, 's', 'c1')).toEqual({
      results: [
        { name: 'reserve-seat', value: 'reserve-seat' },
        { name: 'send-mail (not configured)', value: 'send-mail' },
      ],
      paginationToken: 'c2',
    });
    expect(asked[0]).toMatchObject({
      method: 'GET',
      url: 'http://ledger/v1/operations',
      qs: { search: 's', cursor: 'c1' },
    });
  });

  test('says what is wrong', async () => {
    const { context: self } = context({
      statusCode: 401,
      headers: {},
      body: { code: 'unauthorized', title: 'The key is not known', status: 401 },
    });
    await expect(searchOperations.call(self)).rejects.toThrow('The key is not known');
  });
});
