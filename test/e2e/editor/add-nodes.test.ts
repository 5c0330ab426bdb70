import { Editor } from './browser';

let editor: Editor;

beforeAll(async () => {
  await stack.ledger.api.setPolicy('reserve-seat', { description: 'Reserve a seat in a workshop' });
  editor = await Editor.open({ width: 1200, height: 720 });
  await editor.newWorkflow();
  await editor.addTrigger('Trigger manually');
});

afterAll(async () => {
  await editor?.close();
});

/** A node whose icon file is missing has an empty box there. */
async function iconIsShown(): Promise<boolean> {
  const icon = editor.panel.locator('img').first();
  return icon.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0);
}

it('adds Claim Action: two fields, the operation chosen from the list of the ledger', async () => {
  await editor.addNode('Claim Action');
  expect(await editor.parameterLabels()).toEqual(['Operation', 'Business ID', 'Options']);
  expect(await iconIsShown()).toBe(true);

  const { page, panel } = editor;
  await panel.getByTestId('parameter-input-operationName').getByPlaceholder('Choose...').click();
  await page.getByText('reserve-seat', { exact: true }).click();
  await panel.getByTestId('parameter-input-businessId').locator('input').fill('workshop-842');
  await editor.keepPanelImage('claim-action');
  await editor.closePanel();
});

it('adds Record Receipt: nothing needs to be filled in', async () => {
  await editor.addNode('Record Receipt');
  expect(await editor.parameterLabels()).toEqual([
    'Record For',
    'Claim',
    'Outcome',
    'Reference',
    'Evidence',
    'Options',
  ]);
  expect(await iconIsShown()).toBe(true);
  await editor.keepPanelImage('record-receipt');
  await editor.closePanel();
});

it('adds Reconcile Unknown, to get what is due', async () => {
  await editor.addNode('Reconcile Unknown', 'Get unknown actions that are due');
  expect(await editor.parameterLabels()).toEqual(['Operation', 'Only for Operation', 'Limit', 'Options']);
  expect(await iconIsShown()).toBe(true);
  await editor.keepPanelImage('reconcile-unknown');
  await editor.closePanel();
});

it('runs what was put together, without a line of code', async () => {
  const { page } = editor;
  await page.getByTestId('execute-workflow-button').click();
  await page
    .getByText(/Workflow executed successfully|Problem in node/)
    .first()
    .waitFor();
  const action = await stack.ledger.api.action('workshop-842', 'reserve-seat');
  expect(action).toMatchObject({ testRun: true });
});
