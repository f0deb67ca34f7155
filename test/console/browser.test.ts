// The operators' page as an operator has it: Chromium with a certificate, three agents, a lossy link. What it says is compared with
// what was injected. Where there is no browser, it says so and proves nothing.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { loadIdentity } from '#mtls/identity.ts';
import { openUnverified } from '#report/open-unverified.ts';
import { sealedReportText, sealReport } from '#report/seal.ts';
import { createSigner } from '#sign/signer.ts';
import { type AgentBed, certifiedNameOf, upAgents } from '../agent/agent-bed.ts';
import { systemClock } from '../mtls/domain.ts';
import { HANG_MS } from '../until-written.ts';
import { browserObstacle, browserTests, type Look, openBrowser, type Visit, visit } from './browser.ts';

const QUESTION = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
const DESK: Look = { width: 1120, height: 1180, colorScheme: 'light' };
const PHONE: Look = { width: 390, height: 844, colorScheme: 'dark' };
/** Folder for screenshots, for people to look at. */
const SCREENSHOTS = process.env['PARLEY_SCREENSHOTS'];

const obstacle = await browserObstacle();
let bed: AgentBed;
let browser: Browser | undefined;
let origin = '';

before(async () => {
  bed = await upAgents(['pe1', 'p2', 'pe3']);
  await bed.domain.identity('ann', { kind: 'operator' });
  await bed.domain.identity('noc', { kind: 'controller' });
  origin = `https://127.0.0.1:${bed.portOf('pe1')}`;
  if (obstacle === undefined) browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await bed?.down();
});

const inBrowser = browserTests(obstacle, () => browser);

async function shoot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

async function asAnn(running: Browser, look: Look, body: (visited: Visit) => Promise<void>): Promise<void> {
  const visited = await visit(running, origin, join(bed.dir, 'ann'), look);
  try {
    await body(visited);
    assert.deepEqual(visited.complaints, []);
  } finally {
    await visited.context.close();
  }
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Question' }).fill(text);
  await page.keyboard.press('Enter');
}

function answered(page: Page): Promise<void> {
  return page.getByText('verified in this browser').waitFor({ timeout: HANG_MS });
}

inBrowser(
  'an operator types the question and sees the lossy interface, a proposal and a verified report [TS-12] [TS-19] [CARD-7]',
  (running) =>
    asAnn(running, DESK, async ({ page }) => {
      await page.locator('#node', { hasText: 'on pe1' }).waitFor({ timeout: HANG_MS });
      await shoot(page, 'empty');
      bed.network.apply({ kind: 'loss', node: 'pe1', ifname: 'eth1', percent: 5 });
      await ask(page, QUESTION);
      // Where this process is late, the answer is there already and its steps are folded.
      await page.getByText('Session with p2').waitFor({ timeout: HANG_MS, state: 'attached' });
      await shoot(page, 'progress');
      await answered(page);
      const steps = await page.locator('.step-name').allTextContents();
      assert.deepEqual(
        [
          'Understood',
          'Peers',
          'Session with pe3',
          'Asked all at once',
          'Signatures',
          'Both ends compared',
          'Finding',
          'Report',
        ].filter((name) => !steps.includes(name)),
        [],
      );
      assert.equal(await page.locator('.verdict').textContent(), '✕ Fault found');
      assert.match((await page.locator('.sentence').textContent())!, /only on PE-1 → P-2 direction/);
      const [resource, fault, confidence, remedy] = await page.locator('.finding dd').allTextContents();
      assert.deepEqual([resource, fault], ['interface/pe1/eth1', 'packet_loss']);
      assert.match(confidence!, /^(?:certain|likely)$/);
      assert.match(remedy!, /^check cable and optics/);
      await page.getByText('A proposal for pe1. Nothing was changed.').waitFor({ timeout: HANG_MS });
      const picture = page.locator('svg.lying');
      assert.equal(await picture.locator('.lane.guilty .port').last().textContent(), '⚠ eth1');
      assert.equal(await picture.locator('.lane.lossy').count(), 1);
      assert.match(
        (await picture.getAttribute('aria-label'))!,
        /PE-1 to P-2 \d.* % lost, eth1 is at fault; P-2 to PE-1 0 % lost/,
      );
      assert.equal(await page.locator('.table tbody tr').count(), 6);
      await shoot(page, 'answer');
      const audit = await bed.audit('pe1');
      assert.ok(
        audit.some((entry) => entry['party'] === 'operator/ann' && entry['method'] === 'tools/call parley-ask'),
      );
    }),
);

inBrowser(
  'the downloaded file is the report, and a changed one does not verify in the page [TS-12] [TS-16]',
  (running) =>
    asAnn(running, DESK, async ({ page }) => {
      await ask(page, QUESTION);
      await answered(page);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download' }).click(),
      ]);
      assert.match(download.suggestedFilename(), /^parley-report-[0-9a-f]{16}\.json$/);
      const text = await readFile(await download.path(), 'utf8');
      const flipped = text.replace(
        /"signature":"(.)/,
        (_whole, first: string) => `"signature":"${first === 'A' ? 'B' : 'A'}`,
      );
      const said = await page.evaluate(
        async ([whole, changed]) => {
          const path = '/console/verify.js';
          const { verifyReport } = await import(path);
          const bytes = (file: string | undefined) => new TextEncoder().encode(file);
          const untold = await verifyReport(bytes(whole), { sentence: 'all is well' });
          return [(await verifyReport(bytes(whole))).node, (await verifyReport(bytes(changed))).reason, untold.reason];
        },
        [text, flipped],
      );
      assert.equal(said[0], 'pe1');
      assert.equal(said[1], 'the signature does not fit the report');
      assert.match(said[2], /^the report signs another \w+ than the one shown$/);
    }),
);

/** The same report as its creator would sign it without the first answer that it got. */
async function withoutAnAnswer(text: string): Promise<string> {
  const opened = openUnverified(Buffer.from(text));
  assert.ok(opened.ok);
  const report = opened.value;
  const [left, ...items] = report.items;
  const envelopes = report.envelopes.filter(({ evidenceId }) => evidenceId !== left!.id);
  const { signingKey } = await loadIdentity(join(bed.dir, 'pe1'), systemClock);
  const signer = createSigner({ node: 'pe1', privateKey: signingKey });
  return sealedReportText(sealReport({ ...report, items, envelopes, evidence: report.evidence.slice(1) }, signer));
}

inBrowser(
  'a report that leaves an answer out verifies, and the page says what is not proven [TS-12] [TS-16]',
  (running) =>
    asAnn(running, DESK, async ({ page }) => {
      await ask(page, QUESTION);
      await answered(page);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download' }).click(),
      ]);
      const whole = await readFile(await download.path(), 'utf8');
      const gaps = await page.evaluate(
        async (files) => {
          const path = '/console/verify.js';
          const { verifyReport } = await import(path);
          const found = [];
          for (const file of files) {
            const { ok, reason, gaps: said } = await verifyReport(new TextEncoder().encode(file));
            found.push(ok ? said : reason);
          }
          return found as string[][];
        },
        [whole, await withoutAnAnswer(whole)],
      );
      assert.deepEqual(gaps[0], []);
      assert.equal(gaps[1]!.length, 1, String(gaps[1]));
      assert.match(
        gaps[1]![0]!,
        /^the answer of \S+ to \S+: the report says that its creator got it, and leaves it out$/,
      );
    }),
);

inBrowser(
  'on a phone in the dark: a healthy network with its proof, and what to do after a question nobody knows [TS-12]',
  (running) =>
    asAnn(running, PHONE, async ({ page }) => {
      bed.network.apply({ kind: 'repair' });
      await page.getByRole('button', { name: 'Verify packet loss between pe1 and p2' }).click();
      await answered(page);
      assert.equal(await page.locator('.verdict').textContent(), '✓ Healthy');
      assert.equal(await page.locator('svg.standing').isVisible(), true);
      assert.equal(await page.locator('svg.lying').isVisible(), false);
      assert.ok((await page.locator('.reasons li').count()) > 3);
      const tooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      assert.equal(tooWide, false);
      const table = page.getByRole('region', { name: 'Loss of each segment' });
      assert.equal(await table.evaluate((box) => box.scrollWidth > box.clientWidth), false, 'every column is in sight');
      assert.match((await table.locator('tbody tr').first().textContent())!, /(equal|within error)$/);
      await shoot(page, 'phone');
      await ask(page, 'what is the weather');
      await page.getByText('I did not understand that question.').waitFor({ timeout: HANG_MS });
      const examples = await page.locator('.notice .example').allTextContents();
      assert.ok(
        examples.length > 0 && examples.length <= 5 && examples.some((each) => each.includes('pe1')),
        examples.join(),
      );
      await shoot(page, 'phone-unknown');
    }),
);

inBrowser(
  'draws the link of a finding that has no path, opens its report, and shows the conversation again after a reload [TS-12]',
  (running) =>
    asAnn(running, DESK, async ({ page }) => {
      bed.network.apply({ kind: 'loss', node: 'pe1', ifname: 'eth1', percent: 20 });
      await ask(page, 'What is wrong?');
      await page.locator('.proof summary').waitFor({ timeout: HANG_MS });
      const sentence = await page.locator('.sentence').textContent();
      const picture = page.getByRole('img', { name: /eth1 is at fault/ }).first();
      await picture.waitFor({ timeout: HANG_MS });
      await page.getByRole('button', { name: 'Reports' }).click();
      await page.getByRole('button', { name: 'Open' }).first().click({ timeout: HANG_MS });
      const dialog = page.getByRole('dialog');
      await dialog.locator('.sentence').waitFor({ timeout: HANG_MS });
      assert.equal(await dialog.locator('.sentence').textContent(), sentence);
      await dialog.getByText('verified in this browser').waitFor({ timeout: HANG_MS });
      await page.keyboard.press('Escape');
      await page.reload();
      await page.locator('.talk .sentence').waitFor({ timeout: HANG_MS });
      assert.equal(await page.locator('.talk .sentence').textContent(), sentence);
      assert.equal(await page.locator('.asked').textContent(), 'What is wrong?');
      assert.match((await page.locator('.talk time.when').textContent())!, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC.* · /);
      await page.getByRole('button', { name: 'Overview' }).click();
      await page.getByRole('region', { name: 'Links' }).getByText('both ends report it').first().waitFor();
      assert.equal(await page.locator('.talk .sentence').isVisible(), false);
      await page.getByRole('button', { name: 'Answers (1)' }).click();
      assert.equal(await page.locator('.talk .sentence').isVisible(), true, 'the way back from the overview');
      const kept = await page.evaluate('JSON.stringify([sessionStorage, localStorage])');
      assert.equal(String(kept).includes(sentence!.slice(0, 20)), false, 'ids alone are kept');
      await page.evaluate(
        "sessionStorage.setItem('parley', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('parley')), owner: 'bob@pe1' }))",
      );
      await page.reload();
      await page.getByRole('region', { name: 'Last faults' }).getByRole('button').first().waitFor({ timeout: HANG_MS });
      assert.equal(await page.locator('.turn').count(), 0, 'what another operator kept is not shown');
      bed.network.apply({ kind: 'repair' });
    }),
);

inBrowser(
  'a stopped agent is named in words, alone, with what to do next, and is not green; asking again after its return is healthy [TS-12] [TS-21]',
  (running) =>
    asAnn(running, DESK, async ({ page }) => {
      bed.network.apply({ kind: 'repair' });
      await bed.stop('p2');
      await page.reload();
      const row = page.getByRole('region', { name: 'Nodes' }).getByRole('listitem').filter({ hasText: 'p2' });
      await row.getByText('no answer').waitFor({ timeout: HANG_MS });
      await ask(page, 'What is wrong?');
      const silent = page.locator('.silent li').filter({ hasText: 'it refuses connections: its agent does not run' });
      await silent.waitFor({ timeout: HANG_MS });
      assert.deepEqual(await page.locator('.silent strong').allTextContents(), ['p2'], 'no node that answered');
      assert.match((await page.locator('.next').textContent())!, /agent of p2 runs.*“parley doctor”/);
      await shoot(page, 'stopped');
      await bed.start('p2');
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.locator('.verdict', { hasText: 'Healthy' }).waitFor({ timeout: HANG_MS });
      assert.equal(await page.locator('.asked').count(), 2);
      const map = page.getByRole('img', { name: /^Path pe1, p2, pe3\. pe1 to p2 0 % lost/ }).first();
      await map.waitFor({ timeout: HANG_MS });
    }),
);

inBrowser('draws the shut link where nothing of the path itself was measured [TS-12]', (running) =>
  asAnn(running, PHONE, async ({ page }) => {
    bed.network.apply({ kind: 'link', node: 'p2', ifname: 'eth1', up: false });
    await ask(page, 'Why can PE-1 not reach PE-3?');
    const picture = page.locator('.picture').getByRole('img', { name: /p2 to pe1 link down, eth1 is at fault/ });
    await picture.filter({ visible: true }).waitFor({ timeout: HANG_MS });
    bed.network.apply({ kind: 'repair' });
  }),
);

test('only an operator’s certificate opens the page; without one there is no TLS at all [TS-12]', async () => {
  assert.equal(await statusFor('ann'), 200);
  assert.equal(await statusFor('noc'), 403);
  assert.equal(await statusFor('p2'), 403);
  await assert.rejects(statusFor(undefined), { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' });
});

test('the page opens under a DNS name of the node’s own certificate, and under that of no other node', async () => {
  const port = bed.portOf('pe1');
  for (const name of [certifiedNameOf('pe1'), certifiedNameOf('pe1').toUpperCase(), 'pe1.lab.example'])
    assert.equal(await statusFor('ann', `${name}:${port}`), 200, name);
  for (const name of [certifiedNameOf('p2'), 'pe1.net.example', 'net.example'])
    assert.equal(await statusFor('ann', `${name}:${port}`), 403, name);
});

/** `host`: as `Host`; that of the address where it is left out. */
async function statusFor(party: string | undefined, host?: string): Promise<number> {
  const part = (name: string) => readFile(join(bed.dir, party!, name));
  const identity = party === undefined ? {} : { cert: await part('chain.pem'), key: await part('key.pem') };
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    const options = { ...identity, headers, rejectUnauthorized: false, agent: false };
    const sent = request(`${origin}/`, options, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', reject);
    sent.end();
  });
}
