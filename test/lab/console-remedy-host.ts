// Runs in the network of a lab's router: an operator's Chromium at the page of that router applies the remedy of a fault, with the consent that an admin signs
// in the browser, and keeps it or rolls it back. Prints one JSON line of what the pages said. Arguments: origin, folder of the admin's identity, keep | back.
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { openBrowser, visit } from '../console/browser.ts';

const WAIT_MS = 120_000;
const LOOK = { width: 1280, height: 900, colorScheme: 'light' } as const;
const [origin, identity, wanted] = process.argv.slice(2) as [string, string, 'keep' | 'back'];

async function approveIn(context: BrowserContext, page: Page): Promise<string> {
  const [approvals] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Open the page where admins decide' }).click({ timeout: WAIT_MS }),
  ]);
  const files = ['chain.pem', 'signing-key.pem'].map((file) => join(identity, file));
  await approvals.getByLabel('Choose chain.pem and signing-key.pem').setInputFiles(files);
  const shown = await approvals.getByRole('list', { name: 'What changes' }).textContent({ timeout: WAIT_MS });
  await approvals.getByRole('button', { name: /^Approve as/ }).click({ timeout: WAIT_MS });
  await approvals.locator('#said', { hasText: /^Approved by/ }).waitFor({ timeout: WAIT_MS });
  await approvals.close();
  return shown!;
}

const browser = await openBrowser();
try {
  const { context, page } = await visit(browser, origin, identity, LOOK);
  await page.getByRole('button', { name: 'What is wrong?' }).click({ timeout: WAIT_MS });
  await page.getByRole('button', { name: 'Show the exact change' }).click({ timeout: WAIT_MS });
  await page.getByRole('button', { name: 'Apply it' }).click({ timeout: WAIT_MS });
  const approved = await approveIn(context, page);
  const proposed = await page.getByRole('list', { name: 'What changes' }).textContent();
  await page.getByRole('button', { name: 'Apply it' }).click({ timeout: WAIT_MS });
  await page.getByRole('heading', { name: 'This change runs' }).waitFor({ timeout: WAIT_MS });
  // The change outlives the page: after a reload it is there, with the way back.
  if (wanted === 'back') {
    await page.reload();
    await page.getByRole('button', { name: 'Roll back now' }).click({ timeout: WAIT_MS });
  }
  const end = page.locator('.open-change.kept, .open-change.undone').first();
  await end.waitFor({ timeout: WAIT_MS });
  const said = await end.getByRole('status').textContent();
  const sentences = await page.locator('.talk .sentence').allTextContents();
  console.log(JSON.stringify({ approved, proposed, said, sentences }));
} finally {
  await browser.close();
}
