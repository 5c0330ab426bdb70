'use strict';

// Folders point inwards. A folder may import itself and what is listed, and nothing else of ours.
const mayImport = {
  domain: [],
  store: ['domain'],
  inbox: ['domain'],
  reconcilers: ['domain'],
  workers: ['store', 'inbox', 'reconcilers', 'domain'],
  http: ['store', 'workers', 'domain'],
};

const folderDirections = Object.entries(mayImport).map(([folder, allowed]) => ({
  name: `${folder}-imports-inwards`,
  comment: `ledger-service/src/${folder} may import ${allowed.join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: `^ledger-service/src/${folder}/` },
  to: {
    path: '^(ledger-service/src|nodes|credentials|test)/',
    pathNot: `^ledger-service/src/(${[folder, ...allowed].join('|')})/`,
  },
}));

module.exports = {
  forbidden: [
    ...folderDirections,
    {
      name: 'domain-is-pure',
      comment: 'The domain does no I/O: of Node.js it may use hashing only',
      severity: 'error',
      from: { path: '^ledger-service/src/domain/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'service-stands-alone',
      comment: 'The service knows neither the nodes nor the tests',
      severity: 'error',
      from: { path: '^ledger-service/' },
      to: { path: '^(nodes|credentials|test)/' },
    },
    {
      name: 'nodes-use-the-http-api',
      comment: 'The nodes are published without the service and reach it over HTTP only',
      severity: 'error',
      from: { path: '^(nodes|credentials)/' },
      to: { path: '^(ledger-service|test)/' },
    },
    {
      name: 'no-circles',
      comment: 'Modules that need each other while running; types may refer to each other',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Type imports count: a type is a dependency of the reader.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
