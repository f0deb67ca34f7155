// Which packages are missing, and that nothing is done when none is.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ensurePackages, hostDaemons, missingPackages } from '../../scripts/install-packages.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';
import { HANG_MS } from '../until-written.ts';

const bin = mkdtempSync(join(tmpdir(), 'lb-bin-'));
const path = process.env['PATH'];
after(() => {
  process.env['PATH'] = path;
  rmSync(bin, { recursive: true });
});

/** A dpkg-query that knows one installed and one removed package. */
function fakeDpkg(): void {
  const text = '#!/bin/sh\nprintf "frr installed\\nlldpd config-files\\n"\nexit 1\n';
  writeFileSync(join(bin, 'dpkg-query'), text);
  chmodSync(join(bin, 'dpkg-query'), 0o755);
  process.env['PATH'] = `${bin}:/usr/bin:/bin`;
}

test('a package that was removed or never there is missing', async () => {
  fakeDpkg();
  assert.deepEqual(await missingPackages(['frr', 'lldpd', 'tcpdump']), ['lldpd', 'tcpdump']);
});

test('nothing is missing: nothing is done and nothing is said', async () => {
  fakeDpkg();
  const said: string[] = [];
  const ensured = await ensurePackages({ packages: ['frr'], say: (line) => said.push(line) });
  assert.deepEqual([ensured, said], [{ ok: true, installed: [] }, []]);
});

test('a machine without dpkg is told so, without an exception', async () => {
  process.env['PATH'] = '/nonexistent';
  assert.deepEqual(await ensurePackages({ packages: ['frr'] }), {
    ok: false,
    reason: 'expected a Debian system with dpkg and apt-get, found none',
  });
});

test('a routing daemon that runs on this machine is seen while it runs', async () => {
  copyFileSync('/bin/sleep', join(bin, 'isisd'));
  chmodSync(join(bin, 'isisd'), 0o755);
  const daemon = spawn(join(bin, 'isisd'), ['60']);
  await once(daemon, 'spawn');
  await waitUntil('isisd', () => (hostDaemons().includes('isisd') ? undefined : 'its name'), { timeoutMs: HANG_MS });
  daemon.kill('SIGKILL');
  await once(daemon, 'exit');
  assert.equal(hostDaemons().includes('isisd'), false);
});
