// What the operators' page opens with and how it can be used: the state of the network, questions with its names, links that bring a question along, names of
// devices that are no markup, a phone, the keyboard alone. The real server of the page, over answers that the test writes. Where there is no browser,
// it says so and proves nothing.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { JsonObject } from '#base/json.ts';
import type { CallGate } from '#model/ports.ts';
import { HANG_MS } from '../until-written.ts';
import { type ConsoleBed, openConsoleBed } from './bed.ts';
import { browserObstacle, browserTests, type Look, openBrowser } from './browser.ts';

const DESK = { width: 1280, height: 900, colorScheme: 'light' } as const;
const PHONE = { width: 390, height: 844, colorScheme: 'dark' } as const;
const HOSTILE = '<img src=x onerror="document.title=1">\u202e';

const peer = (node: string, hops: number) => ({ node, hops, addresses: ['192.0.2.1'], port: 9514, verified: true });
const link = (from: readonly string[], to: readonly string[], more: JsonObject = {}) => ({
  from: { node: from[0]!, ifname: from[1]! },
  to: { node: to[0]!, ifname: to[1]! },
  ...{ state: 'up', confidence: 'confirmed', ...more },
});
const past = (id: string, intent: string, verdict: string, hypothesis: string, created: string) => ({
  ...{ id, intent, verdict, hypothesis, created },
  sentence: `A long sentence of ${id}.`,
});
const ANSWERS: Readonly<Record<string, JsonObject>> = {
  'parley-peers': { peers: [peer('pe3', 2), peer('p2', 1)], remarks: [] },
  'parley-approvals': { pending: [{ id: 'c1' }], decisions: [] },
  'parley-report-list': {
    reports: [
      past('r4', 'What is wrong?', 'healthy', 'none', '2026-11-27T03:40:00Z'),
      past('r3', 'What is wrong?', 'fault', 'pe1 eth1 → p2 packet loss 4.3 %', '2026-11-27T03:30:00Z'),
      past('r2', 'Verify p2', 'fault', 'pe1 egress ACL 2001', '2026-11-27T03:20:00Z'),
      past('r1', 'What is wrong?', 'fault', 'pe1 eth1 → p2 packet loss 5.8 %', '2026-11-27T03:10:00Z'),
    ],
  },
  'parley-topology': {
    nodes: [
      { node: 'p2', seen: false },
      { node: 'p4', seen: false },
      { node: 'pe1', seen: true },
    ],
    links: [
      link(['p2', 'eth1'], ['pe1', 'eth1'], { confidence: 'likely', signs: ['lldp'] }),
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
    await page.getByRole('button', { name: 'Read again' }).waitFor({ timeout: HANG_MS });
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
      const text = (await links.textContent())!;
      assert.match(text, /p2 eth1 ⇄ pe1 eth1up.*both ends report it, by LLDP alone/);
      assert.match(text, /down.*one end alone reports it.*p2 eth1/, 'what is down stands first');
      assert.match(text, /No answer from p2, p4/);
      assert.match(text, /Read \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC.* · just now/);
      const nodes = page.getByRole('region', { name: 'Nodes' });
      const rows = await nodes.getByRole('listitem').allTextContents();
      assert.deepEqual(rows, [
        'pe1answersthis node',
        'p2no answerauthenticated',
        'pe3authenticated',
        'p4no answernamed by others',
      ]);
      assert.equal(await nodes.locator('.badge-healthy').count(), 1, 'who does not answer is not green');
      const tiles = await page.locator('.tile').evaluateAll((all) => all.map((tile) => tile.ariaLabel));
      assert.deepEqual(tiles, ['Links', 'Nodes', 'Last faults'], 'what is now comes before what was');
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

inBrowser('past faults stand once each, with how often, when last, and a later healthy answer [TS-12]', (running) =>
  opened(running, DESK, async (page) => {
    const faults = page.getByRole('region', { name: 'Last faults' });
    await faults.getByRole('button').first().waitFor({ timeout: HANG_MS });
    const rows = await faults.getByRole('listitem').allTextContents();
    assert.equal(rows.length, 2);
    assert.match(
      rows[0]!,
      /^pe1 eth1 → p2 packet loss 4\.3\u00a0%2 times, last 20\d\d-\d\d-\d\d .* UTC\S* · (\d+ \S+ ago|just now)/,
    );
    assert.match(rows[0]!, /Asked again, and healthy: 20\d\d-/);
    assert.match(rows[1]!, /^pe1 egress ACL 2001once, 20\d\d-/);
    assert.doesNotMatch(rows[1]!, /healthy/, 'another question says nothing of it');
    const [last] = await page
      .locator('.example')
      .all()
      .then((all) => all.slice(-1));
    const [box, composer] = await Promise.all([last!.boundingBox(), page.locator('#composer').boundingBox()]);
    assert.ok(box!.y + box!.height <= composer!.y, 'the last question is not cut off');
  }),
);

inBrowser('the button of approvals says how many changes wait [TS-28]', (running) =>
  opened(running, PHONE, async (page) => {
    await page.getByRole('link', { name: 'Approvals (1)' }).waitFor({ timeout: HANG_MS });
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
      await page.getByRole('region', { name: 'Last faults' }).getByRole('button').first().waitFor({ timeout: HANG_MS });
      await page.locator('body').press('Tab');
      while (!stops.includes('question') && stops.length < 20) {
        stops.push(String(await page.evaluate('document.activeElement.id || document.activeElement.textContent')));
        await page.keyboard.press('Tab');
      }
      assert.deepEqual(stops, [
        ...['open-peers', 'open-reports', 'open-approvals', 'What is wrong?'],
        ...['Verify packet loss between pe1 and p2', 'Verify packet loss between pe1 and pe3'],
        ...['What changed on pe3 in the last hour?', 'What changed here today?', 'Read again'],
        ...['pe1 eth1 → p2 packet loss 4.3\u00a0%', 'pe1 egress ACL 2001', 'question'],
      ]);
    }),
);

inBrowser(
  'more than three nodes stand in a ring, each link with what its probes lost, and a silent one dashed [TS-12]',
  (running) =>
    opened(running, DESK, async (page) => {
      const drawn = await page.evaluate(async () => {
        const path = '/console/network-picture.js';
        const { networkPicture } = await import(path);
        const end = (node: string, ifname: string) => ({ node, ifname });
        const lost = (from: string, ifname: string, to: string, lossPercent: number) => ({
          from,
          ifname,
          to,
          lossPercent,
        });
        const links = [
          { from: end('p1', 'a'), to: end('p2', 'b') },
          { from: end('p2', 'c'), to: end('p3', 'd') },
          { from: end('p3', 'e'), to: end('p4', 'f') },
        ];
        const segments = [
          ...[lost('p1', 'a', 'p2', 0), lost('p2', 'b', 'p1', 0)],
          ...[lost('p2', 'c', 'p3', 0), lost('p3', 'd', 'p2', 2)],
        ];
        const silent = [{ node: 'p4' }];
        const answer = { verdict: { kind: 'inconclusive' }, links, segments, outcomes: silent };
        const figure = networkPicture(answer, silent, 'p1');
        const ring = figure.querySelector('svg.lying');
        return {
          label: ring.getAttribute('aria-label'),
          lines: [...ring.querySelectorAll('.lane')].map((lane) => lane.getAttribute('class')),
          silent: ring.querySelector('.silent-router').textContent,
          none: networkPicture({ ...answer, links: [] }, silent, 'p1') === undefined,
        };
      });
      assert.deepEqual(drawn, {
        label:
          'Map of 4 nodes. p1 to p2 lost no probe; p2 to p3 lost probes; p3 to p4 was not measured. No answer from p4.',
        lines: ['lane clean', 'lane lossy', 'lane unknown'],
        silent: 'p4',
        none: true,
      });
    }),
);
