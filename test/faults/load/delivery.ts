import { randomUUID } from 'node:crypto';

import { type Random } from '../random';
import { type Destination } from './destination';
import { type Journal } from './journal';
import { type LedgerClient } from './ledger-client';
import { type LoadSettings, OPERATION } from './load';

export interface Delivery {
  subject: string;
  eventId: string;
  number: number;
}

export interface Worker {
  client: LedgerClient;
  destination: Destination;
  journal: Journal;
  random: Random;
  settings: LoadSettings;
}

/** What a guarded workflow does with one delivery of an event. */
export async function deliver({ subject, eventId, number }: Delivery, worker: Worker): Promise<void> {
  const { client, destination, journal, random, settings } = worker;
  const requestToken = randomUUID();
  const claimed = await client.claim(
    {
      subject,
      operation: OPERATION,
      leaseSeconds: settings.leaseSeconds,
      event: { source: 'shop', id: eventId, occurredAt: new Date(Date.now() + settings.clockErrorMs).toISOString() },
      details: { order: subject, seats: 1 },
      holder: { kind: 'load', executionId: `${subject}/${number}` },
    },
    requestToken,
  );
  journal.events.push({ subject, id: eventId });
  if (claimed.decision !== 'proceed') return;
  const { attempt, claimToken } = claimed;
  if (claimToken === null) throw new Error('proceed came without a claim token');
  journal.grants.push({ subject, attempt, requestToken });

  const receipt = await destination.call(subject, random, settings.stepMs);
  if (receipt === null) return;
  const { result, state } = await client.receipt(claimToken, receipt);
  if (result !== 'recorded') {
    journal.surprises.push(`${subject}: the receipt of the holder was answered ${result} (${state})`);
  }
  journal.receipts.push({ subject, attempt, ...receipt });
}
