// What hosts' own connections tell apart, from the segments that pass a port to the verdict: a server that its router reaches no more by a fixed entry of the card
// that it had, a source NAT without a free port, and what is no fault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { hostNetwork } from '#model/hosts/host-places.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { createHostHistory } from '#router/drivers/linux-frr/host-monitor/host-history.ts';
import { createConnectionRequests } from '#router/helper/snoop/connection-requests.ts';
import { HOST1, HOST3, type Scene, sceneOf, wellOn } from '../scope-scene.ts';

const [SYN, FIN] = [0x02, 0x11];
const HOST2 = '198.19.2.10';
type Sent = { readonly atMs: number; readonly frame: Uint8Array };

function segment(client: string, fromPort: number, flags: number, atMs: number): Sent {
  const frame = Buffer.alloc(74);
  frame.writeUInt16BE(0x0800, 12);
  frame[14] = 0x45;
  frame[23] = 6;
  frame.set([...client.split('.'), ...HOST3.address.split('.')].map(Number), 26);
  frame.writeUInt16BE(fromPort, 34);
  frame.writeUInt16BE(80, 36);
  frame.writeUInt32BE(fromPort, 38);
  frame[47] = flags;
  frame.writeUInt32BE(atMs, 62);
  return { atMs, frame };
}

/** A user who opens a page every five seconds, and gives up after two: given until `brokenMs`. */
function user(client: string, brokenMs: number, untilMs: number, gapMs = 1_000): readonly Sent[] {
  return Array.from({ length: Math.floor(untilMs / 5_000) }, (_, turn) => turn * 5_000).flatMap((atMs) =>
    atMs < brokenMs
      ? [segment(client, 40_000 + atMs / 5_000, SYN, atMs), segment(client, 40_000 + atMs / 5_000, FIN, atMs + 50)]
      : [0, gapMs].map((later) => segment(client, 40_000 + atMs / 5_000, SYN, atMs + later)),
  );
}

/** What r1 remembers, fetched every two seconds. */
function remembered(sent: readonly Sent[], untilMs: number): Scene['states'] {
  const [requests, history] = [createConnectionRequests(), createHostHistory()];
  const ports = [
    { ifname: 'eth3', networks: [hostNetwork('198.19.1.1/24')!] },
    { ifname: 'eth4', networks: [hostNetwork('198.19.2.1/24')!] },
  ];
  for (let nowMs = 2_000; nowMs <= untilMs; nowMs += 2_000) {
    const now = sent.filter(({ atMs }) => atMs < nowMs && atMs >= nowMs - 2_000);
    const came = ports.map(({ ifname }, index) => ({
      ifname,
      frames: now.map(({ frame }) => frame).filter((frame) => frame[28] === index + 1),
    }));
    for (const { ifname, frames } of came) requests.heard(ifname, frames, nowMs);
    history.heard({ asks: [], names: [], connections: requests.known(nowMs) }, ports, nowMs);
  }
  const watchedHosts = history.watched(untilMs, false);
  return { r1: (state) => ({ ...state, history: { ...state.history!, watchedHosts } }) };
}

const tried = (open: boolean): ServiceProbeResult => ({
  ...{ destination: HOST3.address, service: 'tcp', port: 80, sent: 1, answered: open, open },
});
function outcome(scene: Scene) {
  const { findings, verdict } = diagnose(sceneOf(scene));
  return {
    named: findings.map(({ fault, resource }) => `${fault} ${resource}`),
    kind: verdict.kind,
    inVain: verdict.reasons.filter((each) => /requests again/.test(each)),
  };
}
const USERS = [...user(HOST1.address, 30_000, 60_000), ...user(HOST2, 30_000, 60_000)];

test('a fixed entry of a server in whose name another card answers is told with both readings, and accuses no node', () => {
  const old: NonNullable<NodeState['neighbourTable']> = [
    { ifname: 'eth3', address: HOST3.address, mac: '02:00:00:00:03:fe', state: 'PERMANENT' },
  ];
  const scene: Scene = {
    states: { ...remembered(USERS, 60_000), r3: (state) => ({ ...state, neighbourTable: old }) },
    hosts: { r3: [wellOn('r3', { echoed: [] })] },
    whole: { r3: [tried(false)] },
  };
  const ENTRY =
    'r3 has a fixed entry on eth3 that 198.19.3.10 is at 02:00:00:00:03:fe, and 02:00:00:00:03:10 answers for it there: the entry is old, or another device answers in the name of the host';
  const told = (given: Scene) => {
    const { named, kind, inVain } = outcome(given);
    assert.deepEqual([named, kind], [[], 'inconclusive']);
    return inVain.map((each) => each.split('; ').slice(1).join('; '));
  };
  const expected = [`it does not answer r3 eth3, the port of its network: ${ENTRY}`];
  assert.deepEqual(told(scene), expected);
  const one = remembered(user(HOST1.address, 30_000, 60_000), 60_000);
  assert.deepEqual(told({ ...scene, states: { ...scene.states, ...one } }), expected, 'one host is enough');
  const works = outcome({ ...scene, whole: { r3: [tried(true)] } });
  assert.equal(works.inVain.join().includes('fixed entry'), false, 'the entry leads to an answer');
});

test('a source NAT without a free port keeps the verdict from being healthy, with its node, and is no node’s fault', () => {
  const at = { family: 'ip', table: 'nat', chain: 'post', path: ['post'], hook: 'postrouting', handle: 1 };
  const rule = {
    ...at,
    verdict: 'other' as const,
    outInterfaces: [],
    inInterfaces: [],
    matches: [],
    matchesRest: true,
  };
  const scene: Scene = {
    states: {
      ...remembered(USERS, 60_000),
      r2: (state) => ({ ...state, filters: [{ ...rule, rewrites: ['source = 203.0.113.5'] }] }),
    },
    whole: { r3: [tried(true)] },
  };
  const { named, inVain } = outcome(scene);
  assert.deepEqual(named, []);
  assert.match(
    inVain.join('\n'),
    /^198\.19\.3\.10 port 80: 198\.19\.[12]\.10 \(behind r1 eth[34]\), .* sent requests again for \d+ connections in the last \d+ s, were seen to end none of them, and ended others until \d+ s ago; it answers r3 eth3, .*; r2 translates addresses there$/,
  );
});

const GIVEN = { ifname: 'eth3', address: HOST3.address, service: 'tcp' as const, port: 80, okAgoMs: 60_000, times: 2 };
const answered: NonNullable<Scene['states']>[string] = (state) => ({
  ...state,
  history: { ...state.history!, watchedHosts: { asks: [], names: [], answered: [GIVEN] } },
});
/** Where the router of the server gets no answer any more either, one host is enough. */
const inVain = (sent: readonly Sent[]) =>
  outcome({ states: { ...remembered(sent, 60_000), r3: answered }, whole: { r3: [tried(false)] } }).inVain.length;

test('connections that are given at the second request, and copies of requests, are no matter', () => {
  const late = Array.from({ length: 6 }, (_, turn) => 30_000 + turn * 5_000).flatMap((atMs, turn) => [
    ...[0, 1_000].map((later) => segment(HOST1.address, 50_000 + turn, SYN, atMs + later)),
    segment(HOST1.address, 50_000 + turn, FIN, atMs + 1_300),
  ]);
  const before = user(HOST1.address, 30_000, 30_000);
  assert.equal(inVain(user(HOST1.address, 30_000, 60_000)), 1);
  assert.equal(inVain([...before, ...late]), 0);
  assert.equal(inVain(user(HOST1.address, 30_000, 60_000, 0)), 0);
});

test('what a host only asks for, as in a scan or of an address that no host has, is no matter', () => {
  const never = user(HOST1.address, 0, 60_000);
  const single = Array.from({ length: 6 }, (_, turn) => segment(HOST1.address, 30_000 + turn, SYN, turn * 1_000));
  assert.equal(inVain([...single, ...never]), 0);
});
