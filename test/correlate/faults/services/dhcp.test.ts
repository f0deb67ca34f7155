// What DHCP servers offer, held against the routers of the networks; and the same where it is merely different, slow or out of reach.
// Hosts are behind r1 and r3; the server is the host behind r3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import type { Fact } from '#correlate/engine/facts.ts';
import { dhcpMissingSubnet } from '#correlate/faults/services/dhcp-missing-subnet.ts';
import { dhcpSpoofedDns } from '#correlate/faults/services/dhcp-spoofed-dns.ts';
import type { DhcpAnswer, DhcpOffer, Heard } from '#model/router/dhcp.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { dropping, HOST1, named, type Scene, sceneOf, wellOn } from '../../scope-scene.ts';

const SERVER = '198.19.3.10';
const at = (node: 'r1' | 'r3', change: Partial<DhcpAnswer> = {}): DhcpAnswer => ({
  ...{ ifname: 'eth3', gateway: node === 'r1' ? '198.19.1.1' : '198.19.3.1', server: SERVER },
  ...{ sent: 1, echoed: 1, refused: false, offers: [], present: [] },
  ...change,
});
const offer = (node: 'r1' | 'r3', change: Partial<DhcpOffer> = {}): DhcpOffer => ({
  ...{ server: SERVER, address: node === 'r1' ? '198.19.1.100' : '198.19.3.100', mask: '255.255.255.0' },
  routers: [node === 'r1' ? '198.19.1.1' : '198.19.3.1'],
  names: ['198.19.1.53'],
  ...change,
});
const given = (node: 'r1' | 'r3', change: Partial<DhcpOffer> = {}, present: readonly string[] = []) =>
  at(node, { offers: [offer(node, change)], present });
const silent = (node: 'r1' | 'r3', change: Partial<DhcpAnswer> = {}) => at(node, { sent: 6, echoed: 6, ...change });

const REQUEST: Heard = { ifname: 'eth3', what: 'dhcp-request', from: '0.0.0.0', to: '255.255.255.255', agoMs: 9 };
const REPLY: Heard = { ifname: 'eth3', what: 'dhcp-reply', from: SERVER, to: '198.19.1.1', agoMs: 9 };
const heard =
  (...rows: readonly Heard[]): NonNullable<Scene['states']>[string] =>
  (state) => ({
    ...state,
    history: {
      ...state.history!,
      heard: rows,
      services: [{ ifname: 'eth3', address: '198.19.1.10', service: 'udp', port: 53, agoMs: 9 }],
    },
  });
const ASKED = { r1: heard(REQUEST), r3: heard(REPLY) };

test('offers that agree with the routers are no finding', () => {
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [given('r1')], r3: [given('r3')] } }), []);
});

test('a server that refuses its own router is down', () => {
  const refused = at('r3', { refused: true });
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [at('r1', { refused: true })], r3: [refused] } }), [
    'dhcp_service_down node/h3',
  ]);
});

test('one that is refused far away only may be refused by somebody on the way', () => {
  const again = { r1: [silent('r1', { refused: true })], r3: [silent('r3', { echoed: 5 })] };
  assert.deepEqual(named({ states: ASKED, dhcp: again, dhcpAgain: again }), []);
});

test('a server that stays silent everywhere, though each echo comes back, is down; after one look nobody knows', () => {
  const silence = { r1: [silent('r1')], r3: [silent('r3')] };
  assert.deepEqual(named({ states: ASKED, dhcp: silence, dhcpAgain: silence }), ['dhcp_service_down node/h3']);
  assert.deepEqual(named({ states: ASKED, dhcp: silence }), []);
  const lossy = { r1: [silent('r1', { echoed: 4 })], r3: [silent('r3')] };
  assert.deepEqual(named({ states: ASKED, dhcp: silence, dhcpAgain: lossy }), []);
});

const UNSERVED: Scene = { states: ASKED, dhcp: { r1: [silent('r1')], r3: [given('r3')] } };

test('a network that gets nothing while others do, and whose hosts ask, is missing', () => {
  assert.deepEqual(named({ ...UNSERVED, dhcpAgain: { r1: [silent('r1')] } }), ['dhcp_missing_subnet node/h3']);
});

/** Of ten probes over the link between r1 and r2, or r2 and r3, one is lost. */
const lossOn = (near: 1 | 2, sent = 1_000, lost = 100): Fact => ({
  subject: `path/r${near}>r${near + 1}`,
  predicate: 'probe-loss',
  value: {
    ...{ scope: 'segment', from: `r${near}`, to: `r${near + 1}`, measuredBy: `r${near}`, sent, lost },
    ...{ refused: 0, refusedByFilter: true, unanswered: 0, flows: 16, directionKnown: true },
    link: `link/r${near}:eth2--r${near + 1}:eth1`,
  },
  source: [],
});
const symptomsOf = (scene: Scene, ...facts: readonly Fact[]) => {
  const { intent, nodeNames, evidence, outcomes } = sceneOf(scene);
  const { world } = caseFileOf(intent, nodeNames, evidence, outcomes);
  return [dhcpMissingSubnet, dhcpSpoofedDns]
    .flatMap(({ detect }) => detect!({ world, facts }))
    .map(({ kind, withheld }) =>
      withheld !== undefined ? 'unsure' : kind === 'dhcp_spoofed_dns' ? 'names' : 'missing',
    );
};

test('what is lost on the way is no proof that a network is missing', () => {
  const scene = { ...UNSERVED, dhcpAgain: { r1: [silent('r1')] } };
  assert.deepEqual(symptomsOf(scene), ['missing']);
  assert.deepEqual(symptomsOf(scene, lossOn(1)), ['unsure']);
  assert.deepEqual(symptomsOf(scene, lossOn(2)), ['unsure']);
  assert.deepEqual(symptomsOf(scene, lossOn(2, 1_000, 1)), ['missing']);
  // Too little for a whole flow to be lost, or six questions one after the other.
  assert.deepEqual(symptomsOf(scene, lossOn(2, 1_000, 7)), ['missing']);
  assert.deepEqual(symptomsOf(scene, lossOn(2, 1_000, 8)), ['unsure']);
  const { intent, nodeNames, evidence, outcomes } = sceneOf(scene);
  const { world } = caseFileOf(intent, nodeNames, evidence, outcomes);
  const why = dhcpMissingSubnet.detect!({ world, facts: [lossOn(2)] }).map(({ withheld }) => withheld);
  assert.deepEqual(why, ['packets are lost on the way to it, on {r2} eth2 – {r3} eth1']);
});

test('one that answers the same router for another network at the same time misses this one, whatever is lost', () => {
  const other = at('r1', { link: '198.19.3.1', offers: [offer('r3')] });
  const scene = { ...UNSERVED, dhcpAgain: { r1: [silent('r1'), other] } };
  assert.deepEqual(symptomsOf(scene, lossOn(1)), ['missing']);
  assert.deepEqual(named(scene), ['dhcp_missing_subnet node/h3']);
  const silence = at('r1', { link: '198.19.3.1', sent: 6, echoed: 6 });
  assert.deepEqual(symptomsOf({ ...UNSERVED, dhcpAgain: { r1: [silent('r1'), silence] } }, lossOn(1)), ['unsure']);
});

test('a name server that answers nobody over a lossy way is not known to be wrong', () => {
  const far = given('r1', { names: ['198.19.3.66'] });
  const serviceProbe = { ...tried(false), destination: '198.19.3.66' };
  const scene = { states: ASKED, dhcp: { r1: [far], r3: [given('r3')] }, serviceProbes: { r1: [serviceProbe] } };
  assert.deepEqual(symptomsOf(scene), ['names']);
  assert.deepEqual(symptomsOf(scene, lossOn(2)), ['unsure']);
});

test('a server that takes its time, or that is out of reach, misses no network', () => {
  assert.deepEqual(named({ ...UNSERVED, dhcpAgain: { r1: [given('r1')] } }), []);
  assert.deepEqual(named({ ...UNSERVED, dhcpAgain: { r1: [silent('r1', { echoed: 0 })] } }), []);
  assert.deepEqual(named({ ...UNSERVED, dhcpAgain: { r1: [silent('r1', { refused: true })] } }), []);
});

test('a network whose hosts never asked and were never answered is not served on purpose', () => {
  assert.deepEqual(named({ ...UNSERVED, states: { r3: heard() }, dhcpAgain: { r1: [silent('r1')] } }), []);
});

test('a network that another server serves misses nothing', () => {
  const other = at('r1', { server: '198.19.3.11', offers: [offer('r1', { server: '198.19.3.11' })] });
  const scene = {
    ...UNSERVED,
    dhcp: { ...UNSERVED.dhcp, r1: [silent('r1'), other] },
    dhcpAgain: { r1: [silent('r1')] },
  };
  assert.deepEqual(named(scene), []);
});

test('a filter that takes such packets speaks for itself', () => {
  const udp = dropping([{ field: 'protocol', values: ['udp'] }], 'forward', 0);
  const states = { ...ASKED, r2: udp };
  assert.ok(!named({ ...UNSERVED, states, dhcpAgain: { r1: [silent('r1')] } }).some((line) => line.startsWith('dhcp')));
});

test('a filter takes nothing of what was answered between the same addresses at the same time', () => {
  const states = { ...ASKED, r2: dropping([{ field: 'protocol', values: ['udp'] }], 'forward', 0) };
  const other = at('r1', { link: '198.19.3.1', offers: [offer('r3')] });
  assert.deepEqual(symptomsOf({ ...UNSERVED, states, dhcpAgain: { r1: [silent('r1')] } }), []);
  assert.deepEqual(symptomsOf({ ...UNSERVED, states, dhcpAgain: { r1: [silent('r1'), other] } }), ['missing']);
});

test('a router that nobody on the link is, is wrong', () => {
  const wrong = given('r1', { routers: ['198.19.1.254'] });
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [wrong], r3: [given('r3')] } }), [
    'dhcp_spoofed_gateway node/h3',
  ]);
});

test('another router of the network, one with an agent or one that answers there, is right as well', () => {
  const other = given('r1', { routers: ['198.19.1.254'] }, ['198.19.1.254']);
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [other], r3: [given('r3')] } }), []);
  const spare = given('r1', { routers: ['198.19.1.254', '198.19.1.1'] });
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [spare], r3: [given('r3')] } }), []);
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [given('r1', { routers: [] })], r3: [given('r3')] } }), []);
});

test('a mask, or an address, of another network is wrong', () => {
  const mask = given('r1', { mask: '255.255.0.0' });
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [mask], r3: [given('r3')] } }), ['dhcp_spoofed_subnet node/h3']);
  const address = given('r1', { address: '198.19.7.100' });
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [address] } }), ['dhcp_spoofed_subnet node/h3']);
});

const names = given('r1', { names: ['198.19.1.66'] });
const tried = (open: boolean): ServiceProbeResult => ({
  ...{ destination: '198.19.1.66', service: 'udp', port: 53, sent: 2 },
  answered: open,
  open,
});

test('a name server that answers nobody, where another is in use, is wrong', () => {
  const dhcp = { r1: [names], r3: [given('r3')] };
  assert.deepEqual(named({ states: ASKED, dhcp, serviceProbes: { r1: [tried(false)] } }), ['dhcp_spoofed_dns node/h3']);
});

test('a filter elsewhere takes no try of a name server on the own network, one of the router itself may', () => {
  const udp = dropping([{ field: 'protocol', values: ['udp'] }], 'forward', 0);
  const scene = { dhcp: { r1: [names], r3: [given('r3')] }, serviceProbes: { r1: [tried(false)] } };
  const beside = (states: NonNullable<Scene['states']>) =>
    named({ ...scene, states }).filter((line) => line.startsWith('dhcp_spoofed'));
  assert.deepEqual(beside({ ...ASKED, r2: udp }), ['dhcp_spoofed_dns node/h3']);
  assert.deepEqual(beside({ ...ASKED, r1: (state, phase) => udp(ASKED.r1(state, phase), phase) }), []);
});

test('one that answers, that could not be tried, or that is the only one known, is not', () => {
  const dhcp = { r1: [names], r3: [given('r3')] };
  assert.deepEqual(named({ states: ASKED, dhcp, serviceProbes: { r1: [tried(true)] } }), []);
  assert.deepEqual(named({ states: ASKED, dhcp }), []);
  assert.deepEqual(named({ dhcp, serviceProbes: { r1: [tried(false)] } }), []);
});

test('a host that took a wrong router from its DHCP server is a consequence', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.254' }];
  const hosts = { r1: [wellOn('r1', { echoed: [], asks })] };
  const dhcp = { r1: [given('r1', { routers: ['198.19.1.254'] })], r3: [given('r3')] };
  assert.deepEqual(named({ states: ASKED, hosts, dhcp }), ['dhcp_spoofed_gateway node/h3']);
  const well = { r1: [given('r1')], r3: [given('r3')] };
  assert.deepEqual(named({ states: ASKED, hosts, dhcp: well }), ['host_incorrect_gateway node/h1']);
});
