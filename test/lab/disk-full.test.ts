// A full disk, a real one of a few megabytes in a mount namespace of the test's own: reads and questions go on, changes are refused, the trail
// has its last words, an agent starts again, and what was changed before is undone all the same.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const HOST = join(import.meta.dirname, 'disk-full-host.ts');

/** The mount ends with the namespace, and that with its process. */
async function onSmallDisk(what: string, size: string) {
  const disk = mkdtempSync(join(tmpdir(), 'parley-disk-'));
  const mounted = `mount -t tmpfs -o size=${size},mode=700 parley-disk "$0" && exec "$@"`;
  const host = [process.execPath, '--conditions=parley-source', HOST, what, disk];
  const child = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', mounted, disk, ...host], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
  rmdirSync(disk);
  assert.notEqual(said, '', complained);
  return JSON.parse(said);
}

test('on a full disk an agent answers, says what it cannot keep, changes nothing, and starts again [TS-31, CARD-8]', async () => {
  const seen = await onSmallDisk('agents', '8m');
  const healthy = { verdict: 'healthy', statuses: 'answered' };
  assert.deepEqual(seen.before, { asked: healthy, listed: 1, reserve: true });
  for (const { notStored, ...asked } of [
    seen.full.again,
    ...seen.restarts.map((each: { asked: object }) => each.asked),
  ]) {
    assert.deepEqual(asked, healthy);
    assert.match(notStored, /full/);
  }
  // The first report may have found room beside the trail's last words, in what was the reserve.
  const kept = seen.full.first.notStored === undefined ? 2 : 1;
  assert.equal(seen.full.listed, kept);
  const unwritten = /^peer\/refused: .*expected room for the audit trail, its disk is full/;
  assert.match(seen.refused, unwritten);
  assert.deepEqual(seen.said, ['audit/disk-full']);
  assert.equal(seen.isAlive, true);
  assert.deepEqual(
    seen.restarts.map(({ ended }: { ended: unknown }) => ended),
    ['SIGKILL', 0],
  );
  for (const each of seen.restarts) {
    assert.equal(each.listed, kept);
    assert.match(each.refused, unwritten);
  }
  assert.deepEqual(seen.after, { asked: healthy, listed: kept + 1, reserve: true });
  assert.ok(seen.last.detail.unrecorded > 0);
  assert.deepEqual(seen.verified, { ok: true, tornBytes: 0 });
});

test('on a full disk no change is made, and one that was made is undone, or verified and confirmed [NET-15]', async () => {
  const seen = await onSmallDisk('commit', '6m');
  assert.match(seen.refused, /^node\/disk-full: /);
  assert.deepEqual(seen.untouched, { metric: '10', open: false });
  assert.equal(seen.applied, '20');
  assert.equal(seen.undone, 'done');
  assert.deepEqual(seen.ended, { metric: '10', open: false });
  assert.deepEqual(seen.history, ['ROLLED_BACK']);
  assert.deepEqual([seen.verified, seen.confirmed], ['done', 'done']);
  assert.deepEqual(seen.kept, { metric: '20', startup: true });
});
