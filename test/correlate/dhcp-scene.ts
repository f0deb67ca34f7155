// DHCP in the network of scope-scene.ts: hosts are behind r1 and r3, and the server is the host behind r3.
import type { Fact } from '#correlate/engine/facts.ts';
import type { DhcpAnswer, DhcpOffer, Heard } from '#model/router/dhcp.ts';
import type { Scene } from './scope-scene.ts';

export const SERVER = '198.19.3.10';

export const at = (node: 'r1' | 'r3', change: Partial<DhcpAnswer> = {}): DhcpAnswer => ({
  ...{ ifname: 'eth3', gateway: node === 'r1' ? '198.19.1.1' : '198.19.3.1', server: SERVER },
  ...{ sent: 1, echoed: 1, refused: false, offers: [], present: [] },
  ...change,
});

export const offer = (node: 'r1' | 'r3', change: Partial<DhcpOffer> = {}): DhcpOffer => ({
  ...{ server: SERVER, address: node === 'r1' ? '198.19.1.100' : '198.19.3.100', mask: '255.255.255.0' },
  routers: [node === 'r1' ? '198.19.1.1' : '198.19.3.1'],
  names: ['198.19.1.53'],
  ...change,
});

export const given = (node: 'r1' | 'r3', change: Partial<DhcpOffer> = {}, present: readonly string[] = []) =>
  at(node, { offers: [offer(node, change)], present });

export const silent = (node: 'r1' | 'r3', change: Partial<DhcpAnswer> = {}) =>
  at(node, { sent: 6, echoed: 6, ...change });

export const REQUEST: Heard = {
  ifname: 'eth3',
  what: 'dhcp-request',
  from: '0.0.0.0',
  to: '255.255.255.255',
  agoMs: 9,
};

export const REPLY: Heard = { ifname: 'eth3', what: 'dhcp-reply', from: SERVER, to: '198.19.1.1', agoMs: 9 };

export const heard =
  (...rows: readonly Heard[]): NonNullable<Scene['states']>[string] =>
  (state) => ({
    ...state,
    history: {
      ...state.history!,
      heard: rows,
      services: [{ ifname: 'eth3', address: '198.19.1.10', service: 'udp', port: 53, agoMs: 9 }],
    },
  });

export const ASKED = { r1: heard(REQUEST), r3: heard(REPLY) };

export const UNSERVED: Scene = { states: ASKED, dhcp: { r1: [silent('r1')], r3: [given('r3')] } };

/** Of ten probes over the link between r1 and r2, or r2 and r3, one is lost. */
export const lossOn = (near: 1 | 2, sent = 1_000, lost = 100): Fact => ({
  subject: `path/r${near}>r${near + 1}`,
  predicate: 'probe-loss',
  value: {
    ...{ scope: 'segment', from: `r${near}`, to: `r${near + 1}`, measuredBy: `r${near}`, sent, lost },
    ...{ refused: 0, refusedByFilter: true, unanswered: 0, flows: 16, directionKnown: true },
    link: `link/r${near}:eth2--r${near + 1}:eth1`,
  },
  source: [],
});
