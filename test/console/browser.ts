// Debian's Chromium with an operator's certificate, for tests of the operators' page: what it loads, where it lies, and why there is
// none where there is none. It reaches nothing but the agents of the test.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { BROWSER_PACKAGES, missingPackages } from '../../scripts/install-packages.ts';
import { HANG_MS } from '../until-written.ts';

const CHROMIUM = '/usr/bin/chromium';

/** Why this machine has no browser for tests; undefined when it has one. */
export async function browserObstacle(): Promise<string | undefined> {
  if (existsSync(CHROMIUM)) return undefined;
  const missing = (await missingPackages(BROWSER_PACKAGES)) ?? BROWSER_PACKAGES;
  return `expected ${CHROMIUM}, found none: as root, scripts/install-packages.ts installs ${missing.join(' ')}`;
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    // Its first start after the installation reads 300 MB from a disk that other tests read as well.
    timeout: HANG_MS,
    args: [
      '--no-sandbox',
      '--headless',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Tests of one file that need the browser: each says so, and proves nothing, where there is none. */
export function browserTests(obstacle: string | undefined, running: () => Browser | undefined) {
  return (name: string, body: (browser: Browser) => Promise<void>): void => {
    test(name, async (t) => {
      const browser = running();
      if (browser !== undefined) return body(browser);
      t.diagnostic(`NOT RUN: ${obstacle}`);
      console.log(`test of the operators' page NOT RUN: ${obstacle}`);
    });
  };
}

export type Look = { readonly width: number; readonly height: number; readonly colorScheme: 'light' | 'dark' };

export type Visit = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page complained about: errors, refused resources, violations of its policy. */
  readonly complaints: string[];
};

/** Opens the agent's page as the party whose identity lies in `dir`. */
export async function visit(browser: Browser, origin: string, dir: string, look: Look): Promise<Visit> {
  const [cert, key] = await Promise.all([readFile(join(dir, 'chain.pem')), readFile(join(dir, 'key.pem'))]);
  const { width, height, colorScheme } = look;
  const context = await browser.newContext({
    clientCertificates: [{ origin, cert, key }],
    // The agent's certificate names the node, not 127.0.0.1, and its CA is of this test.
    ignoreHTTPSErrors: true,
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`reached for ${request.url()}`);
  });
  await page.goto(`${origin}/`);
  return { context, page, complaints };
}
