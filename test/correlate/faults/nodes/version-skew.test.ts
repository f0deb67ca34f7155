// version_skew: r3's daemons after an update of which only some have heard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { remarksTold } from '../../remarks.ts';
import { all, at, type Change, named, remembering, ring } from '../../ring.ts';

const FOUND = ['version_skew node/r3'];
const SINCE: SettingChange = { kind: 'daemon', subject: 'bgpd', setting: 'version', is: '8.5.4', agoMs: 90_000 };

/** Every daemon of r3 runs in `zebra`, but for `bgpd`. */
const versions = (zebra: string, bgpd: string, upMs = 60_000): Change =>
  at(['r3'], (state) => ({
    ...state,
    daemons: state.daemons!.map((daemon) => ({
      ...daemon,
      upMs,
      version: daemon.name === 'bgpd' ? bgpd : zebra,
    })),
  }));
const remembered = (...settings: readonly SettingChange[]) => at(['r3'], remembering(...settings));

test('a daemon of another release than zebra, as its node remembers it otherwise, is named as likely with both versions', () => {
  const [finding] = diagnose(ring(all(versions('8.4.4', '8.5.4'), remembered(SINCE)))).findings;
  assert.deepEqual([`${finding?.fault} ${finding?.resource}`, finding?.confidence], [FOUND[0], 'likely']);
  assert.equal(finding?.details['what'], 'r3 runs bgpd of FRR 8.5.4 beside zebra of FRR 8.4.4');
});

test('what was always so, and patches of one release, are remarks', () => {
  const told = (...change: readonly Change[]) => {
    const input = ring(all(...change));
    return [named(input).length, remarksTold(diagnose(input)).join()];
  };
  assert.deepEqual(told(versions('8.4.4', '8.5.4')), [
    0,
    'r3 runs bgpd of FRR 8.5.4 beside zebra of FRR 8.4.4, and always did as far as its agent remembers',
  ]);
  assert.deepEqual(told(versions('8.4.4', '8.4.2-1~deb12'), remembered(SINCE)), [
    0,
    'r3 runs bgpd of FRR 8.4.2-1~deb12 beside zebra of FRR 8.4.4: patches of one release, which work together',
  ]);
});

test('a daemon of another release that is patched, or once did not say its version, was never alike', () => {
  const patched: SettingChange = { ...SINCE, was: '8.5.3' };
  assert.deepEqual(named(ring(all(versions('8.4.4', '8.5.4'), remembered(patched)))), []);
  const untold = at(['r3'], (state) => {
    const { past: _, ...before } = state;
    const daemons = state.daemons!.map(({ version, ...daemon }) =>
      daemon.name === 'bgpd' || version === undefined ? daemon : { ...daemon, version },
    );
    return { ...state, past: [{ state: { ...before, daemons }, fromAgoMs: 90_000, untilAgoMs: 60_000 }] };
  });
  assert.deepEqual(named(ring(all(versions('8.4.4', '8.5.4'), untold))), []);
});

test('an update under way, one release everywhere and versions that are not known accuse no node', () => {
  assert.deepEqual(named(ring(all(versions('8.4.4', '8.5.4', 19_000), remembered(SINCE)))), []);
  assert.deepEqual(named(ring(all(versions('8.5.4', '8.5.4'), remembered(SINCE)))), []);
  assert.deepEqual(named(ring(remembered(SINCE))), [], 'the recording tells no versions');
  const neighbours = at(['r1', 'r2', 'r4'], (state) => ({
    ...state,
    daemons: state.daemons!.map((daemon) => ({ ...daemon, version: '10.1' })),
  }));
  assert.deepEqual(named(ring(all(neighbours, versions('8.4.4', '8.4.4')))), [], 'neighbours of another release');
});

/** Daemons of r3 in another release, by how long they have been running; the others are in zebra's, and old. */
const stepwise = (younger: Readonly<Record<string, number>>, oldMs = 86_400_000): Change =>
  at(['r3'], (state) => ({
    ...state,
    daemons: state.daemons!.map((daemon) => ({
      ...daemon,
      upMs: younger[daemon.name] ?? oldMs,
      version: younger[daemon.name] === undefined ? '8.4.4' : '8.5.4',
    })),
  }));

test('an update that goes on daemon by daemon is a remark, until no step has followed for three minutes', () => {
  const told = (younger: Readonly<Record<string, number>>, oldMs?: number) => {
    const input = ring(all(stepwise(younger, oldMs), remembered(SINCE)));
    return [named(input).join(), remarksTold(diagnose(input)).join()] as const;
  };
  assert.deepEqual(told({ bgpd: 90_000, isisd: 30_000 }), [
    '',
    'r3 runs bgpd of FRR 8.5.4, isisd of FRR 8.5.4 beside zebra of FRR 8.4.4: its daemons are started again one by one, the last 30 s ago, as in an update under way',
  ]);
  assert.equal(told({ bgpd: 300_000, isisd: 190_000 })[0], FOUND[0], 'it has stopped half-way');
  assert.equal(told({ bgpd: 600_000, isisd: 30_000 })[0], FOUND[0], 'minutes between the two');
  assert.equal(told({ bgpd: 35_000, isisd: 30_000 })[0], FOUND[0], 'by one command');
  assert.equal(told({ bgpd: 90_000, isisd: 30_000 }, 60_000)[0], FOUND[0], 'the others are younger');
  assert.equal(told({ bgpd: 30_000 })[0], FOUND[0], 'one alone');
});
