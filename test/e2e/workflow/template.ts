import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SavedWorkflow, WorkflowFile } from '../stack/n8n-session';
import type { Stack } from '../stack/stack';
import { publish } from './build';

export const templates = join(__dirname, '..', '..', '..', 'workflows');

/** What a user does after the import: choose the credentials, and put the own booking system's address in. */
export async function readTemplate(
  name: string,
  { credentials, booking }: Pick<Stack, 'credentials' | 'booking'> = stack,
): Promise<WorkflowFile> {
  const text = await readFile(join(templates, `${name}.json`), 'utf8');
  const file = JSON.parse(text.replaceAll('https://booking.example.com', booking.url)) as WorkflowFile;
  for (const node of file.nodes) {
    if (node.type.startsWith('n8n-nodes-action-ledger.')) {
      node.credentials = { actionLedgerApi: credentials.actionLedgerApi };
    }
    if (node.type === 'n8n-nodes-base.emailSend') node.credentials = { smtp: credentials.smtp };
  }
  return file;
}

/** A second copy of the workshop workflow with a webhook of its own, changed for one test. */
export async function publishWorkshopCopy(
  path: string,
  change: (file: WorkflowFile) => void = () => undefined,
): Promise<SavedWorkflow> {
  const file = await readTemplate('workshop-booking');
  file.name = path;
  const trigger = nodeOf(file, 'Payment Event');
  trigger.parameters.path = path;
  trigger.webhookId = path;
  change(file);
  return publish(file);
}

export function nodeOf(file: WorkflowFile, name: string): WorkflowFile['nodes'][number] {
  const node = file.nodes.find((candidate) => candidate.name === name);
  if (!node) throw new Error(`The workflow "${file.name}" has no node "${name}"`);
  return node;
}
