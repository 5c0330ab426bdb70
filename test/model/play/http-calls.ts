import { Agent, request as send } from 'node:http';

/** Calls over connections that are kept, with little cost per call. */
export class HttpCalls {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly url: string) {}

  call(method: string, path: string, key: string, body?: object): Promise<{ status: number; body: unknown }> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(payload !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(payload),
        }),
      };
      const call = send(`${this.url}${path}`, { method, agent: this.agent, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          try {
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown });
          } catch {
            reject(new Error(`${method} ${path} was answered ${response.statusCode} with no JSON: ${text}`));
          }
        });
      });
      call.on('error', reject);
      call.end(payload);
    });
  }

  end(): void {
    this.agent.destroy();
  }
}
