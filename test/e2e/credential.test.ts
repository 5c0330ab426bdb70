it('says that the connection works when the credential is tested, and why not when it does not', async () => {
  const { id, name } = stack.credentials.actionLedgerApi;
  const good = { baseUrl: stack.ledger.url, apiKey: stack.apiKey };
  const test = (data: object) => stack.editor.testCredential({ id, name }, 'actionLedgerApi', data);

  expect(await test(good)).toMatchObject({ status: 'OK' });
  expect(await test({ ...good, apiKey: `${stack.apiKey}-wrong` })).toMatchObject({ status: 'Error' });
  expect(await test({ ...good, baseUrl: 'http://127.0.0.1:9' })).toMatchObject({ status: 'Error' });
});

it('shows the guard nodes as installed from the package', async () => {
  const types = await stack.editor.nodeTypes();
  const ours = types
    .filter(({ name }) => name.startsWith('n8n-nodes-action-ledger.'))
    .map(({ displayName }) => displayName);
  expect(ours.sort()).toEqual(
    expect.arrayContaining(['Claim Action', 'Look Up Action', 'Reconcile Unknown', 'Record Receipt']),
  );
});
