import { join } from 'node:path';

import { templates } from '../workflow/template';
import { Editor } from './browser';

let editor: Editor;

beforeAll(async () => {
  editor = await Editor.open({ width: 1440, height: 860 });
});

afterAll(async () => {
  await editor?.close();
});

it.each([
  ['workshop-booking', 8, 'workshop-booking'],
  ['reconcile-unknown', 6, 'reconcile-unknown-workflow'],
  ['crashed-execution', 2, 'crashed-execution-workflow'],
])('imports %s.json from the file, and shows every node', async (name, nodes, image) => {
  await editor.newWorkflow();
  await editor.page.getByTestId('workflow-import-input').setInputFiles(join(templates, `${name}.json`));
  const { nodesOnCanvas } = editor;
  await nodesOnCanvas.nth(nodes - 1).waitFor();
  expect(await nodesOnCanvas.count()).toBe(nodes);
  await editor.deselect();
  await editor.keepCanvasImage(image);
});
