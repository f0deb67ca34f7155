// What the operators' page keeps and opens with: the state of the network, reports in the page, the links of findings, the conversation after a reload,
// and names of devices that are no markup. Where there is no browser, it says so and proves nothing.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type AgentBed, upAgents } from '../agent/agent-bed.ts';
import { browserObstacle, browserTests, openBrowser, type Visit, visit } from './browser.ts';

const DESK = { width: 1280, height: 900, colorScheme: 'light' } as const;
const PHONE = { width: 390, height: 844, colorScheme: 'dark' } as const;
const WAIT_MS = 60_000;
const HOSTILE = '<img src=x onerror="document.title=1">\u202e';

const obstacle = await browserObstacle();
let bed: AgentBed;
let browser: Browser | undefined;
let origin = '';

before(async () => {
  bed = await upAgents(['pe1', 'p2', 'pe3'], {}, { here: true });
  for (const name of ['ann', 'bob']) await bed.domain.identity(name, { kind: 'operator' });
  origin = `https://127.0.0.1:${bed.portOf('pe1')}`;
  if (obstacle === undefined) browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await bed?.down();
});

const inBrowser = browserTests(obstacle, () => browser);

async function asAnn(running: Browser, body: (visited: Visit) => Promise<void>): Promise<void> {
  const visited = await visit(running, origin, join(bed.dir, 'ann'), DESK);
  try {
    await body(visited);
    assert.deepEqual(visited.complaints, []);
  } finally {
    await visited.context.close();
  }
}

const wrong = (page: Page) => page.getByRole('button', { name: 'What is wrong?' }).click({ timeout: WAIT_MS });
const answered = (page: Page) => page.locator('.proof summary').last().waitFor({ timeout: WAIT_MS });

inBrowser(
  'opens with links and both their ends, known nodes, the last faults, and questions with this network’s names [TS-12]',
  (running) =>
    asAnn(running, async ({ page }) => {
      const links = page.getByRole('region', { name: 'Links' });
      await links.getByText('p2 eth1 ⇄ pe1 eth1').waitFor({ timeout: WAIT_MS });
      await links.getByText('p2 eth2 ⇄ pe3 eth1').waitFor({ timeout: WAIT_MS });
      assert.deepEqual(await links.locator('.badge').allTextContents(), ['up', 'up']);
      const nodes = page.getByRole('region', { name: 'Neighbours' });
      assert.deepEqual((await nodes.locator('strong').allTextContents()).toSorted(), ['p2', 'pe3']);
      await page.getByRole('region', { name: 'Last faults' }).getByText('name no fault').waitFor({ timeout: WAIT_MS });
      const examples = await page.locator('.example').allTextContents();
      assert.deepEqual(examples.slice(0, 2), ['What is wrong?', 'Verify packet loss between pe1 and p2']);
      assert.ok(examples.length <= 5, String(examples));
      for (const role of ['banner', 'main', 'navigation', 'form'] as const)
        assert.equal(await page.getByRole(role).count(), 1, role);
    }),
);

inBrowser(
  'draws the link of a finding that has no path, opens its report, and shows the conversation again after a reload [TS-12]',
  (running) =>
    asAnn(running, async ({ page }) => {
      bed.network.apply({ kind: 'loss', node: 'pe1', ifname: 'eth1', percent: 20 });
      await wrong(page);
      await answered(page);
      const sentence = await page.locator('.sentence').textContent();
      const picture = page.getByRole('img', { name: /eth1 is at fault/ }).first();
      await picture.waitFor({ timeout: WAIT_MS });
      await page.getByRole('button', { name: 'Reports' }).click();
      await page.getByRole('button', { name: 'Open' }).first().click({ timeout: WAIT_MS });
      const dialog = page.getByRole('dialog');
      await dialog.locator('.sentence').waitFor({ timeout: WAIT_MS });
      assert.equal(await dialog.locator('.sentence').textContent(), sentence);
      await dialog.getByText('verified in this browser').waitFor({ timeout: WAIT_MS });
      await page.keyboard.press('Escape');
      await page.reload();
      await page.locator('.talk .sentence').waitFor({ timeout: WAIT_MS });
      assert.equal(await page.locator('.talk .sentence').textContent(), sentence);
      assert.equal(await page.locator('.asked').textContent(), 'What is wrong?');
      const kept = await page.evaluate('JSON.stringify([sessionStorage, localStorage])');
      assert.equal(String(kept).includes(sentence!.slice(0, 20)), false, 'ids alone are kept');
      await page.evaluate(() => {
        const kept = JSON.parse(sessionStorage.getItem('parley')!);
        sessionStorage.setItem('parley', JSON.stringify({ ...kept, owner: 'bob@pe1' }));
      });
      await page.reload();
      await page.getByRole('region', { name: 'Last faults' }).getByRole('button').first().waitFor({ timeout: WAIT_MS });
      assert.equal(await page.locator('.turn').count(), 0, 'what another operator kept is not shown');
      bed.network.apply({ kind: 'repair' });
    }),
);

inBrowser('a question that a link brings along is shown and not asked [TS-12]', (running) =>
  asAnn(running, async ({ page }) => {
    const before = (await bed.audit('pe1')).filter(({ method }) => method === 'tools/call parley-ask').length;
    await page.goto(`${origin}/#ask=${encodeURIComponent('What is wrong?<b>')}`);
    await page.reload();
    const field = page.getByRole('textbox', { name: 'Question' });
    await page.waitForFunction('document.getElementById("question").value !== ""');
    assert.equal(await field.inputValue(), 'What is wrong?<b>');
    assert.equal(new URL(page.url()).hash, '');
    assert.equal(await page.locator('.turn').count(), 0);
    const asked = (await bed.audit('pe1')).filter(({ method }) => method === 'tools/call parley-ask').length;
    assert.equal(asked, before);
  }),
);

inBrowser(
  'names that devices give themselves are text, with what does not print shown by its number [TS-12]',
  (running) =>
    asAnn(running, async ({ page }) => {
      await page.route('**/console/links', async (route) => {
        const end = { node: 'pe1', ifname: HOSTILE };
        const link = { from: end, to: { node: 'p2', ifname: 'eth1' }, state: 'up', confidence: 'claimed' };
        await route.fulfill({ json: { nodes: [], links: [link], missing: [HOSTILE], remarks: [], confidence: {} } });
      });
      await page.reload();
      const links = page.getByRole('region', { name: 'Links' });
      await links.getByText('one end alone reports it').waitFor({ timeout: WAIT_MS });
      assert.equal(await links.locator('img').count(), 0);
      assert.match((await links.textContent())!, /<img src=x onerror="document\.title=1">‹U\+202E›/);
      assert.match(await page.title(), /^Parley on pe1$/);
    }),
);

inBrowser(
  'on a phone nothing is wider than the window, and the keyboard alone reaches every control in order [TS-12]',
  async (running) => {
    const visited = await visit(running, origin, join(bed.dir, 'ann'), PHONE);
    try {
      const { page } = visited;
      await page.getByRole('button', { name: 'Read again' }).waitFor({ timeout: WAIT_MS });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
      const stops: string[] = [];
      await page.locator('body').press('Tab');
      while (!stops.includes('question') && stops.length < 20) {
        const script = 'document.activeElement.id || document.activeElement.textContent';
        stops.push(String(await page.evaluate(script)));
        await page.keyboard.press('Tab');
      }
      assert.deepEqual(stops.slice(0, 3), ['open-peers', 'open-reports', 'Approvals']);
      assert.ok(stops.includes('What is wrong?') && stops.includes('question'), stops.join(', '));
    } finally {
      await visited.context.close();
    }
  },
);
