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

export interface GatedSettings {
  /** Of both claims; 300 seconds unless told otherwise. */
  leaseSeconds?: number;
  errorWorkflow?: string;
  saveExecutionProgress?: boolean;
}

/** A copy whose calls to the ledger can be held, and whose booking waits longer than any test holds it. */
export async function publishGatedWorkshop(
  path: string,
  { leaseSeconds = 300, ...settings }: GatedSettings,
): Promise<SavedWorkflow> {
  return publishWorkshopCopy(path, (file) => {
    file.settings = { ...file.settings, ...settings };
    for (const node of file.nodes.filter(({ type }) => type.startsWith('n8n-nodes-action-ledger.'))) {
      node.credentials = { actionLedgerApi: stack.gated.actionLedgerApi };
    }
    for (const claim of ['Claim Seat', 'Claim Confirmation']) {
      Object.assign(nodeOf(file, claim).parameters.options as object, { leaseSeconds });
    }
    Object.assign(nodeOf(file, 'Book Seat').parameters.options as object, { timeout: 120_000 });
  });
}

export function nodeOf(file: WorkflowFile, name: string): WorkflowFile['nodes'][number] {
  const node = file.nodes.find((candidate) => candidate.name === name);
  if (!node) throw new Error(`The workflow "${file.name}" has no node "${name}"`);
  return node;
}
