// Three routers in a row as an embedded network.
import type { EmbeddedDescription } from '#router/drivers/embedded/description.ts';

export const THREE_ROUTERS: EmbeddedDescription = {
  seed: 7,
  nodes: [
    {
      name: 'pe1',
      loopback: 'fd00:0:0:1::1',
      sids: [{ sid: 'fd00:5a:1::e', behavior: 'End' }],
      blackholes: ['fd00:dead::/32'],
    },
    { name: 'p2', loopback: 'fd00:0:0:2::1', sids: [{ sid: 'fd00:5a:2::e', behavior: 'End' }] },
    { name: 'pe3', loopback: 'fd00:0:0:3::1', sids: [{ sid: 'fd00:5a:3::d6', behavior: 'End.DT6', table: 'main' }] },
  ],
  links: [
    {
      a: { node: 'pe1', ifname: 'eth1', address: 'fd00:12::1/64' },
      b: { node: 'p2', ifname: 'eth1', address: 'fd00:12::2/64' },
    },
    {
      a: { node: 'p2', ifname: 'eth2', address: 'fd00:23::2/64' },
      b: { node: 'pe3', ifname: 'eth1', address: 'fd00:23::3/64' },
    },
  ],
};

export const THREE_ROUTER_FACTS = {
  names: { head: 'pe1', mid: 'p2', tail: 'pe3' },
  ifnames: { head: 'eth1', midHead: 'eth1', midTail: 'eth2', tail: 'eth1' },
  segments: ['fd00:5a:2::e', 'fd00:5a:3::d6'],
  tailLoopback: 'fd00:0:0:3::1',
  blackhole: 'fd00:dead::1',
  unrouted: '2001:db8::1',
} as const;
