import { NodeConnectionTypes } from 'n8n-workflow';
import type {
  IDataObject,
  IExecuteFunctions,
  IHttpRequestMethods,
  IHttpRequestOptions,
  INodeExecutionData,
  INodeType,
} from 'n8n-workflow';

interface NamedValues {
  parameters?: { name: string; value: string }[];
}

const namedValues = (name: string) => ({
  displayName: name,
  name,
  type: 'fixedCollection' as const,
  typeOptions: { multipleValues: true },
  default: {},
  options: [
    {
      displayName: 'Parameters',
      name: 'parameters',
      values: [
        { displayName: 'Name', name: 'name', type: 'string' as const, default: '' },
        { displayName: 'Value', name: 'value', type: 'string' as const, default: '' },
      ],
    },
  ],
});

/**
 * Stands in for n8n's HTTP Request, which is no package of its own: the settings that the workshop's workflows use, the
 * same request helper below, and errors that leave in the same shape.
 *
 * @param afterAnswer called when an answer is there, before the item leaves
 */
export function httpRequest(afterAnswer?: () => Promise<void>): INodeType {
  return {
    description: {
      displayName: 'HTTP Request',
      name: 'httpRequest',
      group: ['output'],
      version: [4.5],
      description: 'Sends one request for each item',
      defaults: { name: 'HTTP Request' },
      inputs: [NodeConnectionTypes.Main],
      outputs: [NodeConnectionTypes.Main],
      properties: [
        { displayName: 'Method', name: 'method', type: 'string', default: 'GET' },
        { displayName: 'URL', name: 'url', type: 'string', default: '' },
        { displayName: 'JSON', name: 'jsonBody', type: 'json', default: '' },
        namedValues('headerParameters'),
        namedValues('queryParameters'),
        { displayName: 'Options', name: 'options', type: 'json', default: {} },
      ],
    },
    async execute(this: IExecuteFunctions) {
      const sent: INodeExecutionData[] = [];
      for (const item of this.getInputData().keys()) {
        try {
          const answer = (await this.helpers.httpRequest(readRequest(this, item))) as IDataObject;
          await afterAnswer?.();
          sent.push({ json: answer, pairedItem: { item } });
        } catch (error) {
          if (!this.continueOnFail()) throw error;
          sent.push({ json: { error: asItem(error as Error) }, pairedItem: { item } });
        }
      }
      return [sent];
    },
  };
}

function readRequest(context: IExecuteFunctions, item: number): IHttpRequestOptions {
  const body = context.getNodeParameter('jsonBody', item) as string;
  const options = context.getNodeParameter('options', item) as { timeout?: number };
  const values = (name: string) =>
    Object.fromEntries(
      ((context.getNodeParameter(name, item) as NamedValues).parameters ?? []).map(({ name: key, value }) => [
        key,
        value,
      ]),
    );
  return {
    method: context.getNodeParameter('method', item) as IHttpRequestMethods,
    url: context.getNodeParameter('url', item) as string,
    headers: values('headerParameters'),
    qs: values('queryParameters'),
    ...(body !== '' && { body: JSON.parse(body) as IDataObject }),
    json: true,
    timeout: options.timeout,
    disableFollowRedirect: true,
  };
}

function asItem(error: Error & { code?: string; status?: number }): IDataObject {
  const { message, name, code, status } = error;
  return { message, name, ...(code !== undefined && { code }), ...(status !== undefined && { status }) };
}
