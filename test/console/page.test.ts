// What the operators' page opens with and how it can be used: the state of the network, questions with its names, links that bring a question along, names of
// devices that are no markup, a phone, the keyboard alone. The real server of the page, over answers that the test writes. Where there is no browser,
// it says so and proves nothing.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { JsonObject } from '#base/json.ts';
import type { CallGate } from '#model/ports.ts';
import { type ConsoleBed, openConsoleBed } from './bed.ts';
import { browserObstacle, browserTests, type Look, openBrowser } from './browser.ts';

const DESK = { width: 1280, height: 900, colorScheme: 'light' } as const;
const PHONE = { width: 390, height: 844, colorScheme: 'dark' } as const;
const WAIT_MS = 60_000;
const HOSTILE = '<img src=x onerror="document.title=1">\u202e';

const peer = (node: string, hops: number) => ({ node, hops, addresses: ['192.0.2.1'], port: 9514, verified: true });
const link = (from: readonly string[], to: readonly string[], more: JsonObject = {}) => ({
  from: { node: from[0]!, ifname: from[1]! },
  to: { node: to[0]!, ifname: to[1]! },
  ...{ state: 'up', confidence: 'confirmed', ...more },
});
const ANSWERS: Readonly<Record<string, JsonObject>> = {
  'parley-peers': { peers: [peer('pe3', 2), peer('p2', 1)], remarks: [] },
  'parley-report-list': { reports: [] },
  'parley-topology': {
    nodes: [{ node: 'p4', seen: false }],
    links: [
      link(['p2', 'eth1'], ['pe1', 'eth1']),
      link(['p2', 'eth2'], ['pe3', HOSTILE], { state: 'down', confidence: 'claimed' }),
    ],
    missing: [`the link to ${HOSTILE} is gone`],
  },
};
const gate: CallGate = async ({ content }) => {
  const body = ANSWERS[String(content.params['name'])];
  return body === undefined
    ? { status: 'refused', code: -32602, message: 'no', data: {} }
    : { status: 'answered', body };
};

const obstacle = await browserObstacle();
let bed: ConsoleBed;
let browser: Browser | undefined;
let origin = '';

before(async () => {
  bed = await openConsoleBed(gate);
  origin = `http://127.0.0.1:${bed.port}`;
  if (obstacle === undefined) browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await bed?.close();
});

const inBrowser = browserTests(obstacle, () => browser);

async function opened(running: Browser, look: Look, body: (page: Page) => Promise<void>, path = '/'): Promise<void> {
  const { width, height, colorScheme } = look;
  const context = await running.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  try {
    await page.goto(`${origin}${path}`);
    await page.getByRole('button', { name: 'Read again' }).waitFor({ timeout: WAIT_MS });
    await body(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

inBrowser(
  'opens with links and both their ends, known nodes, the last faults, and questions with this network’s names [TS-12]',
  (running) =>
    opened(running, DESK, async (page) => {
      const links = page.getByRole('region', { name: 'Links' });
      assert.match((await links.textContent())!, /p2 eth1 ⇄ pe1 eth1up.*both ends report it/);
      assert.match((await links.textContent())!, /down.*one end alone reports it/);
      assert.match((await links.textContent())!, /No answer from p4\./);
      const nodes = page.getByRole('region', { name: 'Neighbours' });
      assert.deepEqual(await nodes.locator('strong').allTextContents(), ['p2', 'pe3'], 'the nearest first');
      await page.getByRole('region', { name: 'Last faults' }).getByText('name no fault').waitFor({ timeout: WAIT_MS });
      assert.deepEqual(await page.locator('.example').allTextContents(), [
        'What is wrong?',
        'Verify packet loss between pe1 and p2',
        'Verify packet loss between pe1 and pe3',
        'What changed on pe3 in the last hour?',
        'What changed here today?',
      ]);
      for (const role of ['banner', 'main', 'navigation', 'form'] as const)
        assert.equal(await page.getByRole(role).count(), 1, role);
    }),
);

inBrowser('a question that a link brings along is shown and not asked [TS-12]', (running) =>
  opened(
    running,
    DESK,
    async (page) => {
      await page.waitForFunction('document.getElementById("question").value !== ""');
      assert.equal(await page.getByRole('textbox', { name: 'Question' }).inputValue(), 'What is wrong?<b>');
      assert.equal(new URL(page.url()).hash, '');
      assert.equal(await page.locator('.turn').count(), 0);
      assert.equal(
        bed.calls.some(({ content }) => content.params['name'] === 'parley-ask'),
        false,
      );
    },
    `/#ask=${encodeURIComponent('What is wrong?<b>')}`,
  ),
);

inBrowser(
  'names that devices give themselves are text, with what does not print shown by its number [TS-12]',
  (running) =>
    opened(running, DESK, async (page) => {
      const links = page.getByRole('region', { name: 'Links' });
      assert.equal(await links.locator('img').count(), 0);
      assert.match((await links.textContent())!, /pe3 <img src=x onerror="document\.title=1">‹U\+202E›/);
      assert.match((await links.textContent())!, /the link to <img/);
      assert.equal(await page.title(), 'Parley on pe1');
    }),
);

inBrowser(
  'on a phone nothing is wider than the window, and the keyboard alone reaches every control in order [TS-12]',
  (running) =>
    opened(running, PHONE, async (page) => {
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
      const stops: string[] = [];
      await page.locator('body').press('Tab');
      while (!stops.includes('question') && stops.length < 20) {
        stops.push(String(await page.evaluate('document.activeElement.id || document.activeElement.textContent')));
        await page.keyboard.press('Tab');
      }
      assert.deepEqual(stops, [
        ...['open-peers', 'open-reports', 'Approvals', 'Read again', 'What is wrong?'],
        ...['Verify packet loss between pe1 and p2', 'Verify packet loss between pe1 and pe3'],
        ...['What changed on pe3 in the last hour?', 'What changed here today?', 'question'],
      ]);
    }),
);
