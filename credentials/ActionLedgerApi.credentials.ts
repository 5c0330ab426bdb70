import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow';

export class ActionLedgerApi implements ICredentialType {
  name = 'actionLedgerApi';

  displayName = 'Action Ledger API';

  icon: Icon = { light: 'file:actionLedger.svg', dark: 'file:actionLedger.dark.svg' };

  documentationUrl = 'https://github.com/action-ledger/n8n-nodes-action-ledger/blob/main/docs/credential.md';

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: 'http://127.0.0.1:8787',
      placeholder: 'https://ledger.example.com',
      required: true,
      description: 'Where the Action Ledger service answers, without /v1',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description:
        'Made with "action-ledger keys create". For the guard nodes it needs the scopes claim and receipt; read to look up, reconcile to resolve.',
    },
    {
      displayName: 'Ledger ID',
      name: 'ledgerId',
      type: 'string',
      default: '',
      description:
        'When set, an answer of any other ledger is refused. It protects against pointing at an empty ledger by mistake, which would let everything proceed. "action-ledger serve" prints the ID.',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}', url: '/v1/whoami' },
  };
}
