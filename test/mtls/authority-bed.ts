// A CA in a folder of its own for one file of tests, with a clock that stands still.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';

/** 2026-11-21T12:00:00.500Z: certificates know whole seconds only. */
export const NOW_MS = 1_795_262_400_500;
export const DAY_MS = 86_400_000;
export const clock = { nowMs: () => NOW_MS };

/** Removed after the tests. */
export const dir = mkdtempSync(join(tmpdir(), 'parley-authority-'));
export const ca = join(dir, 'ca');

before(() => initAuthority({ dir: ca, domain: 'lab.example', clock }));
after(() => rm(dir, { recursive: true, force: true }));

export function issue(name: string, options: Partial<Parameters<typeof issueCertificate>[0]> = {}) {
  return issueCertificate({ dir: ca, kind: 'node', name, out: join(dir, name), clock, ...options });
}
