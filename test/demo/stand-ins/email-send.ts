import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { createTransport } from 'nodemailer';

export interface MailServer {
  port: number;
  /** How long a silent server is waited for. n8n's own node waits 600 s. */
  timeoutMs: number;
}

const text = (name: string) => ({ displayName: name, name, type: 'string' as const, default: '' });

/** Stands in for n8n's Email Send: real SMTP, by the library that n8n uses; an error leaves as its message alone. */
export function emailSend({ port, timeoutMs }: MailServer): INodeType {
  return {
    description: {
      displayName: 'Send Email',
      name: 'emailSend',
      group: ['output'],
      version: [2.1],
      description: 'Sends one mail for each item',
      defaults: { name: 'Send Email' },
      inputs: [NodeConnectionTypes.Main],
      outputs: [NodeConnectionTypes.Main],
      properties: ['fromEmail', 'toEmail', 'subject', 'text'].map(text),
    },
    async execute(this: IExecuteFunctions) {
      const sent: INodeExecutionData[] = [];
      for (const item of this.getInputData().keys()) {
        const value = (name: string) => this.getNodeParameter(name, item) as string;
        const transport = createTransport({ host: '127.0.0.1', port, secure: false, socketTimeout: timeoutMs });
        try {
          const { messageId, response } = await transport.sendMail({
            from: value('fromEmail'),
            to: value('toEmail'),
            subject: value('subject'),
            text: value('text'),
          });
          sent.push({ json: { messageId, response }, pairedItem: { item } });
        } catch (error) {
          if (!this.continueOnFail()) throw error;
          sent.push({ json: { error: (error as Error).message }, pairedItem: { item } });
        } finally {
          transport.close();
        }
      }
      return [sent];
    },
  };
}
