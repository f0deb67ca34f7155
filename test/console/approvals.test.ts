// Consent in the browser (TS-28): Chromium, an agent as a process, changes that a program asks for, and everything that could get around the admin. Where
// there is no browser, it says so and proves nothing.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import type { JsonObject } from '#base/json.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import { type AgentBed, upAgents } from '../agent/agent-bed.ts';
import { HANG_MS } from '../until-written.ts';
import { browserObstacle, browserTests, openBrowser, type Visit, visit } from './browser.ts';

const DESK = { width: 1280, height: 900, colorScheme: 'light' } as const;
const PHONE = { width: 390, height: 844, colorScheme: 'dark' } as const;
/** As a device, or a program that asks for a change, could have named it: markup, and text that turns its direction. */
const HOSTILE = '<img src=x onerror="document.title=`owned`"> \u202eecived ruoy';

const obstacle = await browserObstacle();
let bed: AgentBed;
let browser: Browser | undefined;
let program: OperatorClient;
let careful: OperatorClient;

before(async () => {
  const may = { access: { roles: { local: 'admin' } } };
  const twoAdmins = [{ name: 'all', tool: 'network.commit' }];
  bed = await upAgents(
    ['pe1', 'p2'],
    { pe1: may, p2: { ...may, configure: { twoAdmins } } },
    { configurable: true, here: true },
  );
  for (const name of ['ann', 'bob']) await bed.domain.identity(name, { kind: 'operator', role: 'admin' });
  await bed.domain.identity('olaf', { kind: 'operator' });
  [program, careful] = await Promise.all([bed.local('pe1'), bed.local('p2')]);
  if (obstacle === undefined) browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await Promise.all([program?.close(), careful?.close()]);
  await bed?.down();
});

const inBrowser = browserTests(obstacle, () => browser);

const files = (name: string) => ['chain.pem', 'signing-key.pem'].map((file) => join(bed.dir, name, file));
let changes = 0;

/** A change that waits; resolves with the id of its consent. */
async function proposed(client: OperatorClient, description: string): Promise<{ id: string; commit: JsonObject }> {
  const path = "/ietf-interfaces:interfaces/interface[name='eth1']/description";
  await client.callTool('network.yang.edit', { edit: [{ path, value: description }] });
  const commit = { confirmed: 120, persist: `token-${++changes}` };
  const error = await client.callTool('network.commit', commit).then(
    () => assert.fail('expected a change that waits'),
    (refused) => refused,
  );
  const { consent } = error.data['data'] as { consent: string };
  return { id: consent, commit };
}

async function undo(client: OperatorClient, { persist }: JsonObject): Promise<void> {
  await client.callTool('network.rollback', { 'persist-id': persist! });
}

async function asParty(
  running: Browser,
  name: string,
  id: string,
  body: (visited: Visit) => Promise<void>,
  { node = 'pe1' as 'pe1' | 'p2', look = DESK as typeof DESK | typeof PHONE } = {},
): Promise<void> {
  const origin = `https://127.0.0.1:${bed.portOf(node)}`;
  const visited = await visit(running, origin, join(bed.dir, name), look);
  try {
    await visited.page.goto(`${origin}/console/approvals#${id}`);
    await body(visited);
  } finally {
    await visited.context.close();
  }
}

async function loadKey(page: Page, name: string): Promise<void> {
  await page.getByLabel('Choose chain.pem and signing-key.pem').setInputFiles(files(name));
  await page.getByText(`You sign as ${name} of lab.example.`).waitFor({ timeout: HANG_MS });
}

const said = (page: Page, text: RegExp | string) =>
  page.locator('#said', { hasText: text }).waitFor({ timeout: HANG_MS });

inBrowser(
  'an admin reads the exact change and signs; the same call then runs, and the key has not left the page [TS-28]',
  (running) =>
    proposed(program, HOSTILE).then(async ({ id, commit }) => {
      await asParty(running, 'ann', id, async ({ page, complaints }) => {
        const bodies: string[] = [];
        page.on('request', (request) => bodies.push(request.url() + (request.postData() ?? '')));
        await page.getByRole('heading', { name: 'A change of pe1 waits for an admin' }).waitFor({ timeout: HANG_MS });
        const lines = await page.getByRole('list', { name: 'What changes' }).getByRole('listitem').allTextContents();
        assert.equal(lines.length, 1);
        assert.ok(lines[0]!.includes('<img src=x onerror="document.title=`owned`"> ‹U+202E›ecived ruoy'), lines[0]);
        assert.equal(await page.locator('.consent img').count(), 0);
        assert.match(await page.title(), /^Changes that wait on pe1/);
        const facts = await page.locator('.facts').textContent();
        assert.match(facts!, /operator local, with the role admin/);
        assert.match(facts!, /2 min, then it undoes itself unless it is confirmed/);
        assert.match(facts!, /\(a user of this router’s own socket; its audit trail says which\)/);
        assert.match(facts!, /it stays when the session that asked ends/);
        assert.match((await page.getByRole('timer').textContent())!, /^1[45]:\d\d$/);
        assert.equal(await page.getByRole('button', { name: 'Approve' }).isDisabled(), true);
        await loadKey(page, 'ann');
        await page.getByRole('button', { name: 'Approve as ann' }).click();
        await said(page, 'Approved by operator/ann.');
        await said(
          page,
          /The change of pe1 that operator local asked for is made when .* until 20\d\d-\d\d-\d\d .* UTC/,
        );
        assert.match((await page.locator('#said').getAttribute('class'))!, /\bgood\b/, 'no warning');
        const key = await readFile(files('ann')[1]!, 'utf8');
        const secret = key.replaceAll(/-----.*-----|\s/g, '').slice(-24);
        assert.ok(bodies.some((body) => body.includes('/console/call/parley-decide')));
        assert.equal(
          bodies.some((body) => body.includes(secret) || body.includes('PRIVATE KEY')),
          false,
        );
        assert.deepEqual(complaints, []);
      });
      const committed = await program.callTool('network.commit', commit);
      assert.equal(committed['status'], 'committed');
      await undo(program, commit);
      const trail = (await bed.audit('pe1')).map(({ event, party }) => `${event} ${party}`);
      assert.ok(trail.includes('consent-approved operator/ann'));
    }),
);

inBrowser('the loaded key signs and cannot be read out, and a reload forgets it [TS-28]', (running) =>
  proposed(program, 'held').then(({ id }) =>
    asParty(running, 'ann', id, async ({ page }) => {
      await loadKey(page, 'ann');
      const texts = await Promise.all(files('ann').map((file) => readFile(file, 'utf8')));
      const outcome = await page.evaluate(async ([chain, key]) => {
        const kept: Awaited<ReturnType<typeof crypto.subtle.importKey>>[] = [];
        const original = crypto.subtle.importKey.bind(crypto.subtle);
        crypto.subtle.importKey = (async (...args: Parameters<typeof original>) => {
          const held = await original(...args);
          kept.push(held);
          return held;
        }) as typeof original;
        const path = '/console/admin-key.js';
        const { loadAdminKey } = await import(path);
        await loadAdminKey([new File([chain!], 'chain.pem'), new File([key!], 'signing-key.pem')]);
        const exported = await crypto.subtle.exportKey('pkcs8', kept[0]!).catch((error) => error.name);
        return [kept[0]!.extractable, exported];
      }, texts);
      assert.deepEqual(outcome, [false, 'InvalidAccessError']);
      assert.equal(await page.evaluate('JSON.stringify([localStorage, sessionStorage])'), '[{},{}]');
      await page.reload();
      await page.getByText('No key is loaded.').waitFor({ timeout: HANG_MS });
    }),
  ),
);

inBrowser(
  'what another operator signs in an own session counts for nothing; a wrong or half key signs nothing [TS-28]',
  (running) =>
    proposed(program, 'olaf').then(({ id }) =>
      asParty(running, 'olaf', id, async ({ page }) => {
        await loadKey(page, 'olaf');
        await page.getByRole('button', { name: 'Approve as olaf' }).click();
        await said(page, /^Not decided\. expected an admin, got operator\/olaf/);
        const input = page.getByLabel('Choose another key');
        const first = page.getByLabel('Choose chain.pem and signing-key.pem');
        const state = page.locator('#key-state');
        await input.setInputFiles([files('ann')[0]!]);
        await state.filter({ hasText: 'Choose signing-key.pem as well' }).waitFor({ timeout: HANG_MS });
        await first.setInputFiles([files('ann')[0]!, join(bed.dir, 'ann', 'key.pem')]);
        await state.filter({ hasText: 'that file holds another kind of key' }).waitFor({ timeout: HANG_MS });
        await first.setInputFiles([files('ann')[0]!, files('bob')[1]!]);
        await page.getByRole('button', { name: 'Approve as ann' }).click();
        await said(page, /^Not decided\. Nothing was signed: expected the signing key of this certificate/);
      }),
    ),
);

inBrowser('a decision that was sent before is refused when it is sent again, by anyone [TS-28]', (running) =>
  proposed(program, 'replayed').then(async ({ id, commit }) => {
    let decision = '';
    await asParty(running, 'ann', id, async ({ page }) => {
      page.on('request', (request) => {
        if (request.url().endsWith('/parley-decide')) decision = request.postData() ?? '';
      });
      await loadKey(page, 'ann');
      await page.getByRole('button', { name: 'Approve as ann' }).click();
      await said(page, 'Approved by operator/ann.');
    });
    const again = (running_: Browser) =>
      asParty(running_, 'olaf', id, async ({ page }) => {
        const reply = await page.evaluate(async (body) => {
          const headers = { 'content-type': 'application/json' };
          const response = await fetch('/console/call/parley-decide', { method: 'POST', headers, body });
          return [
            response.status,
            ((await response.json()) as { error: { data: JsonObject } }).error.data['errorCode'],
          ];
        }, decision);
        replies.push(reply as unknown[]);
      });
    const replies: unknown[][] = [];
    await again(running);
    await program.callTool('network.commit', commit);
    await again(running);
    await undo(program, commit);
    assert.deepEqual(replies, [
      [403, 'caller/consent-settled'],
      [403, 'caller/no-such-consent'],
    ]);
  }),
);

inBrowser('a change that is altered on its way to the page, or after it was shown, is not signed [TS-28]', (running) =>
  proposed(program, 'altered').then(({ id }) =>
    asParty(running, 'ann', id, async ({ page }) => {
      await loadKey(page, 'ann');
      await page.getByRole('button', { name: 'Approve as ann' }).waitFor({ timeout: HANG_MS });
      let decided = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/parley-decide')) decided++;
      });
      const alter = async (route: Route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { pending: JsonObject[] };
        const pending = body.pending.map((each) => ({ ...each, summary: '+ interface eth1: description harmless' }));
        await route.fulfill({ response, json: { ...body, pending } });
      };
      await page.route('**/console/waiting', alter);
      await page
        .getByRole('alert')
        .filter({ hasText: 'Sign nothing that this agent shows.' })
        .waitFor({ timeout: HANG_MS });
      assert.equal(await page.getByRole('button', { name: /Approve/ }).count(), 0);
      // The page's own object, changed by a script after it was drawn, does not fit its id either.
      const reason = await page.evaluate(async (shownId) => {
        const path = '/console/sign/portable/decision.js';
        const { signDecisionPortable } = await import(path);
        const consent = { id: shownId, node: 'pe1', summary: 'another' };
        return (await signDecisionPortable({ chain: [] }, { decision: 'approve', consent })).reason;
      }, id);
      assert.match(reason, /whose id is that of its content/);
      assert.equal(decided, 0);
    }),
  ),
);

inBrowser('two admins: the page names who has agreed and who is missing, and one admin is not two [TS-28]', (running) =>
  proposed(careful, 'both').then(async ({ id, commit }) => {
    const at = { node: 'p2' } as const;
    const missing = 'two different admins; ann has agreed, one is missing';
    await asParty(
      running,
      'ann',
      id,
      async ({ page }) => {
        await page.getByText('two different admins; none has agreed yet').waitFor({ timeout: HANG_MS });
        await loadKey(page, 'ann');
        await page.getByRole('button', { name: 'Approve as ann' }).click();
        await said(page, 'It waits for a second admin.');
        await page.getByText(missing).waitFor({ timeout: HANG_MS });
        await page.getByRole('button', { name: 'Approve as ann' }).click();
        await said(page, /^Not decided\. expected another admin/);
      },
      at,
    );
    await assert.rejects(careful.callTool('network.commit', commit));
    await asParty(
      running,
      'bob',
      id,
      async ({ page }) => {
        await page.getByText(missing).waitFor({ timeout: HANG_MS });
        await loadKey(page, 'bob');
        await page.getByRole('button', { name: 'Approve as bob' }).click();
        await page.getByText('Approved by operator/ann and operator/bob.').waitFor({ timeout: HANG_MS });
      },
      at,
    );
    assert.equal((await careful.callTool('network.commit', commit))['status'], 'committed');
    await undo(careful, commit);
  }),
);

inBrowser(
  'on a phone, with the keyboard alone: a key is loaded, the change is denied, and nothing is cut off [TS-28]',
  (running) =>
    proposed(program, 'x'.repeat(200)).then(async ({ id, commit }) => {
      await asParty(
        running,
        'ann',
        id,
        async ({ page, complaints }) => {
          await loadKey(page, 'ann');
          await page.getByRole('button', { name: 'Approve as ann' }).waitFor({ timeout: HANG_MS });
          const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent');
          const stops: unknown[] = [];
          while (!stops.includes('Deny') && stops.length < 12) {
            await page.keyboard.press('Tab');
            stops.push(await focused());
          }
          assert.deepEqual(stops, ['Ask', 'The exact call', 'Approve as ann', 'Deny']);
          assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
          await page.keyboard.press('Enter');
          await said(page, 'Denied by operator/ann.');
          await page.getByText('Denied by operator/ann.').last().waitFor({ timeout: HANG_MS });
          assert.deepEqual(complaints, []);
        },
        { look: PHONE },
      );
      await assert.rejects(program.callTool('network.commit', commit), /operator\/ann has denied this change/);
    }),
);
