import { setTimeout as delay } from 'node:timers/promises';

export interface WebhookAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** Posts to a published workflow's webhook, as a payment provider does. */
export async function postToWebhook(path: string, body: object): Promise<WebhookAnswer> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(`${stack.n8n.url}/webhook/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    // A webhook that was published a moment ago answers 404 until n8n has registered it.
    if (response.status === 404 && text.includes('is not registered') && tries < 50) {
      await delay(100);
      continue;
    }
    return { status: response.status, body: readObject(text) };
  }
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : { value };
  } catch {
    return { text };
  }
}
