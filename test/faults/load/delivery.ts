import { randomUUID } from 'node:crypto';

import { type Random } from '../random';
import { type Destination } from './destination';
import { type Journal } from './journal';
import { type Claim, type LedgerClient } from './ledger-client';
import { type LoadSettings, OPERATION } from './settings';

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

/** What a guarded workflow does with the items of one execution: claims in one call, the steps, receipts in one call. */
export async function deliver(deliveries: readonly Delivery[], worker: Worker): Promise<void> {
  const { client, destination, journal, random, settings } = worker;
  const requestToken = randomUUID();
  const claims = await client.claims(
    deliveries.map((delivery) => claimOf(delivery, settings)),
    requestToken,
  );
  const steps = deliveries.map(async ({ subject, eventId }, index) => {
    const { decision, attempt, claimToken } = claims[index]!;
    journal.events.push({ subject, id: eventId });
    if (decision !== 'proceed') return [];
    if (claimToken === null) throw new Error('proceed came without a claim token');
    journal.grants.push({ subject, attempt, requestToken });
    const receipt = await destination.call(subject, random, settings.stepMs);
    return receipt === null ? [] : [{ subject, attempt, claimToken, receipt }];
  });
  const done = (await Promise.all(steps)).flat();
  if (done.length === 0) return;
  const results = await client.receipts(
    done.map(({ subject, claimToken, receipt }) => ({ subject, claimToken, ...receipt })),
  );
  done.forEach(({ subject, attempt, receipt }, index) => {
    const { result, state } = results[index]!;
    if (result !== 'recorded') {
      journal.surprises.push(`${subject}: the receipt of the holder was answered ${result} (${state})`);
    }
    journal.receipts.push({ subject, attempt, ...receipt });
  });
}

function claimOf({ subject, eventId, number }: Delivery, { leaseSeconds, clockErrorMs }: LoadSettings): Claim {
  return {
    subject,
    operation: OPERATION,
    leaseSeconds,
    event: { source: 'shop', id: eventId, occurredAt: new Date(Date.now() + clockErrorMs).toISOString() },
    details: { order: subject, seats: 1 },
    holder: { kind: 'load', executionId: `${subject}/${number}` },
  };
}
