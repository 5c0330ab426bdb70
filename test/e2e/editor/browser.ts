import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { chromium, selectors, type Browser, type Locator, type Page } from 'playwright-core';

import { owner } from '../stack/n8n-session';

const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';
const images = join(__dirname, '..', '..', '..', 'docs', 'images');
/** A README and a docs page are read on a telephone too. */
const largestImage = 150 * 1024;

// Without these, Chromium looks for its maker's servers at every start.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const onlyTheWorkflow = `
  [data-test-id=canvas-background], [data-test-id=canvas-controls], [data-test-id=execute-workflow-button],
  [data-test-id=node-creator-plus-button], [data-test-id=command-bar-button], [data-test-id=add-sticky-button],
  [data-test-id=toggle-focus-panel-button], [role=radiogroup], :has(> [role=radiogroup]),
  [role=dialog], .el-notification, .el-popper
  { visibility: hidden !important; }`;

/** n8n's editor in a real browser, signed in as the owner through its own form. */
export class Editor {
  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async open(viewport = { width: 1280, height: 800 }): Promise<Editor> {
    if (!existsSync(executablePath)) {
      throw new Error(
        `There is no Chromium at ${executablePath}, so the editor cannot be tried out. Install it ("apt-get install chromium") or name it in CHROMIUM_PATH.`,
      );
    }
    selectors.setTestIdAttribute('data-test-id');
    const browser = await chromium.launch({ executablePath, headless: true, args });
    const page = await (await browser.newContext({ viewport })).newPage();
    page.setDefaultTimeout(20_000);
    const editor = new Editor(browser, page);
    try {
      await editor.signIn();
    } catch (error) {
      await editor.close();
      throw error;
    }
    return editor;
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  async newWorkflow(): Promise<void> {
    await this.page.goto(`${stack.n8n.url}/workflow/new`);
    await this.page.getByTestId('canvas-plus-button').waitFor();
  }

  /** As a builder does: the plus button, a few letters, a click. Waits for the node's panel. */
  async addNode(name: string, action?: string): Promise<void> {
    await this.chooseNode(name);
    const { page } = this;
    // Before a community node is added, n8n shows who made it, and what it can do.
    const next = action
      ? page.getByText(action, { exact: true })
      : page.getByRole('button', { name: 'Add to workflow' });
    await next.click();
    await this.panel.waitFor();
  }

  /** The first node of a workflow. Its panel opens only if it has something to set. */
  async addTrigger(name: string): Promise<void> {
    await this.chooseNode(name);
    await this.page.getByTestId('canvas-node').first().waitFor();
  }

  private async chooseNode(name: string): Promise<void> {
    const { page } = this;
    const first = page.getByTestId('canvas-plus-button');
    await ((await first.isVisible()) ? first : page.getByTestId('node-creator-plus-button')).click();
    await page.getByPlaceholder('Search nodes...').fill(name);
    await page
      .getByTestId('node-creator-item-name')
      .filter({ hasText: new RegExp(`^${name}$`) })
      .first()
      .click();
  }

  get panel(): Locator {
    return this.page.getByTestId('ndv');
  }

  async closePanel(): Promise<void> {
    await this.panel.getByTestId('ndv-close-button').click();
    await this.panel.waitFor({ state: 'hidden' });
  }

  /** The labels of a panel's parameters, from top to bottom; those that every node has under *Settings* aside. */
  async parameterLabels(): Promise<string[]> {
    const labels = this.panel.getByTestId('node-parameters').getByTestId('input-label').filter({ visible: true });
    return (await labels.allInnerTexts())
      .map((label) => label.split('\n')[0]?.trim() ?? '')
      .filter((label) => label !== '');
  }

  get nodesOnCanvas(): Locator {
    return this.page.getByTestId('canvas-node').filter({ hasNot: this.page.getByTestId('sticky') });
  }

  /** What was just imported is still selected, and would look so in a picture. */
  async deselect(): Promise<void> {
    await this.page.getByTestId('canvas').click({ position: { x: 5, y: 300 } });
  }

  /** Keeps a picture of the open panel for the docs. */
  async keepPanelImage(name: string): Promise<void> {
    // Elsewhere a focused field would cover its own hint.
    await this.panel.getByTestId('tab-params').click();
    await this.keepImage(name, this.panel);
  }

  /** Keeps a picture of the whole workflow for the docs, without the editor's own buttons and messages. */
  async keepCanvasImage(name: string, alsoHidden = ''): Promise<void> {
    const { page } = this;
    await page.getByTestId('zoom-to-fit').click();
    // The zoom is animated in script, which the screenshot cannot stop.
    await page.waitForTimeout(700);
    await this.keepImage(name, page.getByTestId('canvas'), onlyTheWorkflow + alsoHidden);
  }

  private async keepImage(name: string, of: Locator, style?: string): Promise<void> {
    const path = join(images, `${name}.png`);
    await mkdir(dirname(path), { recursive: true });
    await of.screenshot({ path, animations: 'disabled', caret: 'hide', style });
    const { size } = await stat(path);
    if (size > largestImage) throw new Error(`${name}.png has ${size} bytes; the docs' limit is ${largestImage}`);
  }

  private async signIn(): Promise<void> {
    const { page } = this;
    await page.goto(`${stack.n8n.url}/signin`);
    await page.locator('input[name=emailOrLdapLoginId]').fill(owner.email);
    await page.locator('input[name=password]').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/(home|workflow)/);
  }
}
