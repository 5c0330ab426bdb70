import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// What a reader clicks on is there: pages, their headings, pictures, files.

const repository = path.resolve(__dirname, '../..');
const pages = ['README.md', ...listed('docs'), ...listed('workflows')];

function listed(folder: string): string[] {
  return readdirSync(path.join(repository, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name));
}

const read = (page: string): string => readFileSync(path.join(repository, page), 'utf8');

/** Links and pictures to our own files; fenced examples are no links. */
function links(page: string): string[] {
  const prose = read(page).replaceAll(/^```[^]*?^```/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^\w+:/.test(target));
}

/** As GitHub makes them. */
function anchors(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('%s links to what there is', (page) => {
  const dead = links(page).filter((target) => {
    const [file = '', anchor] = target.split('#');
    const linked = file === '' ? page : path.join(path.dirname(page), file);
    if (!existsSync(path.join(repository, linked))) return true;
    return anchor !== undefined && !anchors(linked).includes(anchor);
  });
  expect(dead).toEqual([]);
});

test('docs/README.md lists every page', () => {
  const linked = links('docs/README.md').map((target) => path.join('docs', target));
  const missing = listed('docs').filter((page) => page !== 'docs/README.md' && !linked.includes(page));
  expect(missing).toEqual([]);
});
