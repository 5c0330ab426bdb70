import { ICredentialsHelper } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  ICredentials,
  IHttpRequestOptions,
  INodeCredentialsDetails,
  INodeProperties,
  IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { ActionLedgerApi } from '../../credentials/ActionLedgerApi.credentials';

/** Credentials by ID, with the credential type's own way to authenticate. n8n keeps this part in its server. */
export class CredentialStore extends ICredentialsHelper {
  private readonly type = new ActionLedgerApi();

  constructor(private readonly credentials: Record<string, ICredentialDataDecryptedObject>) {
    super();
  }

  getParentTypes(): string[] {
    return [];
  }

  isCredentialUsableByNode(): boolean {
    return true;
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    _type: string,
    request: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> {
    const fill = (text: string) =>
      text
        .replace(/^=/, '')
        .replace(/\{\{\s*\$credentials\.(\w+)\s*\}\}/g, (_, name: string) => textOf(credentials[name]));
    for (const [name, value] of Object.entries(this.type.authenticate.properties.headers ?? {})) {
      request.headers = { ...request.headers, [name]: fill(textOf(value)) };
    }
    return request;
  }

  async preAuthentication(): Promise<undefined> {
    return undefined;
  }

  async runPreAuthentication(): Promise<undefined> {
    return undefined;
  }

  async getCredentials(): Promise<ICredentials> {
    throw new Error('Not used by nodes that run');
  }

  async getDecrypted(
    _additionalData: IWorkflowExecuteAdditionalData,
    reference: INodeCredentialsDetails,
  ): Promise<ICredentialDataDecryptedObject> {
    const found = this.credentials[reference.id ?? ''];
    if (found === undefined) throw new Error(`Credential with ID "${reference.id}" does not exist`);
    return found;
  }

  async updateCredentials(): Promise<void> {}

  async updateCredentialsOauthTokenData(): Promise<void> {}

  getCredentialsProperties(): INodeProperties[] {
    return this.type.properties;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
