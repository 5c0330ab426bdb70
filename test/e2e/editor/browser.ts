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

  /** As a builder does: the plus button, a few letters, a click. Leaves the node's panel open, if it opens one. */
  async addNode(name: string): Promise<void> {
    const { page } = this;
    const first = page.getByTestId('canvas-plus-button');
    await ((await first.isVisible()) ? first : page.getByTestId('node-creator-plus-button')).click();
    await page.getByPlaceholder('Search nodes...').fill(name);
    await page
      .getByTestId('node-creator-item-name')
      .filter({ hasText: new RegExp(`^${name}$`) })
      .first()
      .click();
    await page
      .getByTestId('canvas-node')
      .or(page.getByRole('button', { name: 'Add to workflow' }))
      .first()
      .waitFor();
    // Before a community node is added, n8n shows who made it.
    const add = page.getByRole('button', { name: 'Add to workflow' });
    if (await add.isVisible()) await add.click();
  }

  get panel(): Locator {
    return this.page.getByTestId('ndv');
  }

  async closePanel(): Promise<void> {
    await this.page.keyboard.press('Escape');
    await this.panel.waitFor({ state: 'hidden' });
  }

  /** The labels of a panel's parameters, from top to bottom. */
  async parameterLabels(): Promise<string[]> {
    const labels = await this.panel.getByTestId('node-parameters').getByTestId('input-label').allInnerTexts();
    return labels.map((label) => label.split('\n')[0]?.trim() ?? '').filter((label) => label !== '');
  }

  /** Keeps a picture for the docs. */
  async keepImage(name: string, of: Page | Locator = this.page): Promise<void> {
    const path = join(images, `${name}.png`);
    await mkdir(dirname(path), { recursive: true });
    await of.screenshot({ path, animations: 'disabled', caret: 'hide' });
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
