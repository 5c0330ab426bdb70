import { withoutGuards } from './without-guards';
import { template } from './workflows';

test('the workshop workflow without its guards: the same steps, one after the other', () => {
  const { nodes, connections } = withoutGuards(template('workshop-booking', 'http://booking'));
  const next = (name: string) =>
    (connections[name]?.main ?? []).map((output) => (output ?? []).map(({ node }) => node));

  expect(nodes.filter(({ type }) => type.startsWith('n8n-nodes-action-ledger.'))).toEqual([]);
  expect(nodes.map(({ name }) => name).sort()).toEqual([
    'Answer The Sender',
    'Book Seat',
    'Payment Event',
    'Send Confirmation',
  ]);
  expect(next('Payment Event')).toEqual([['Answer The Sender', 'Book Seat']]);
  expect(next('Book Seat')).toEqual([['Send Confirmation']]);
  expect(next('Send Confirmation')).toEqual([[]]);
  expect(nodes.every(({ onError }) => onError === 'stopWorkflow')).toBe(true);
});
