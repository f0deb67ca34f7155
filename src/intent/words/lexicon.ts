// Which words and phrases mean what. A phrase is words in lower case; the longest that fits wins. A word that stands nowhere here is left over,
// and a question with such a word is refused or says so (docs/decisions/0058-every-word-counts.md).
import { BESIDE_WORDS, EMPTY_WORDS } from './empty-words.ts';
import type { Meaning } from './meaning.ts';
import { ORDERS } from './orders.ts';
import { COMPARING_WORDS, DEGREES, REFERENCES, TURNING_WORDS } from './small-words.ts';
import { TOPIC_WORDS } from './topic-words.ts';
import { VERB_WORDS } from './verb-words.ts';

const ROLES: readonly (readonly [Meaning, string])[] = [
  [
    { kind: 'role', role: 'from' },
    'from, starting at, out of, coming from, as seen from, seen from, viewed from, from the point of view of, from the perspective of, sourced from, originating from, originating at',
  ],
  [
    { kind: 'role', role: 'to' },
    'to, towards, toward, until, up to, into, facing, in direction of, in the direction of, in the direction, in direction',
  ],
  [
    { kind: 'role', role: 'via' },
    'via, through, thru, over, across, by way of, passing, passing through, traversing, along',
  ],
  [{ kind: 'role', role: 'between' }, 'between, in between, betw'],
  [
    { kind: 'role', role: 'on' },
    'on, at, in, of, for, about, around, near, behind, inside, within, by, off, among, amongst, regarding, concerning, connected to, attached to, plugged into, apropos',
  ],
  [{ kind: 'role', role: 'with' }, 'with, w/, against, and its neighbor, and its neighbour'],
  [
    { kind: 'role', role: 'except' },
    'except, except for, except on, but on, but not, but for, apart from, outside of, outside, w/o, with the exception of, with exception of, other than, other than on, other than at, other than in, apart from on, besides, besides on, excluding, without, not on, not at, not in, not including, that is not on, that are not on, which is not on, everywhere but, everywhere but on, everything but, all but, anywhere but, anywhere but on, not counting, ignoring, ignore, skip, skipping, minus, exclude, excludes, disregard, disregarding, omit, omitting, leaving out, leave out, aside from, save for, barring, not talking about, not asking about, not interested in, not concerned with, not care about, not bother with, not bother about',
  ],
];

const NOUNS: readonly (readonly [Meaning, string])[] = [
  [
    { kind: 'noun', noun: 'link' },
    'link, links, cable, cables, circuit, circuits, wire, wires, line, fiber, fibre, trunk, uplink, uplinks, cabling, core links, core link',
  ],
  [
    { kind: 'noun', noun: 'interface' },
    'interface, interfaces, port, ports, nic, sub-interface, subinterface, intf, carrier',
  ],
  [
    { kind: 'noun', noun: 'path' },
    'path, paths, tunnel, tunnels, sid list, sid lists, segment list, segment, segments',
  ],
  [
    { kind: 'noun', noun: 'node' },
    'node, nodes, router, routers, switch, switches, device, devices, box, boxes, machines, servers, agents, host, hosts, server, machine, agent, head-end, headend, tail-end, tailend, mid-point, midpoint, head end, tail end, provider edge, site, sites, system, systems',
  ],
  [
    { kind: 'noun', noun: 'neighbour' },
    'neighbor, neighbors, neighbour, neighbours, peer, peers, neighborship, neighbourship',
  ],
  [{ kind: 'noun', noun: 'address' }, 'address, ip, ip address, prefix, prefixes, subnet, ip addresses, addresses'],
];

const PROTOCOLS: readonly (readonly [Meaning, string])[] = [
  [{ kind: 'protocol', protocol: 'isis' }, 'isis, is-is'],
  [{ kind: 'protocol', protocol: 'bgp' }, 'bgp, ebgp, ibgp, e-bgp, i-bgp, mp-bgp, bgp4'],
  [{ kind: 'protocol', protocol: 'ospf' }, 'ospf, ospfv2, ospfv3, ospf6, ospf3'],
  [{ kind: 'protocol', protocol: 'bfd' }, 'bfd'],
  [
    { kind: 'srv6' },
    'srv6, sr, segment routing, segment-routing, sid, sids, srv6 path, srv6 tunnel, sr policy, srv6 policy, sr-policy',
  ],
  [{ kind: 'service', name: 'dns', port: 53 }, 'dns, dns server, name server, nameserver, name-server, resolver'],
  [
    { kind: 'service', name: 'http', port: 80 },
    'http, web server, webserver, web-server, web site, website, web page, web pages, web service, web',
  ],
  [{ kind: 'service', name: 'http', port: 443 }, 'https'],
  [
    { kind: 'record' },
    'resolve, resolves, resolving, resolution of, look up, looks up, looking up, lookup of, nslookup, dig',
  ],
  [{ kind: 'port' }, 'port, tcp port, udp port, tcp/port, tcp, udp'],
];

/** "Every night at 3 am" is more than one time. */
const EACH_TIME = ['every', 'each']
  .flatMap((each) =>
    'second minute hour day night morning afternoon evening week weekend month monday tuesday wednesday thursday friday saturday sunday'
      .split(' ')
      .map((unit) => `${each} ${unit}`),
  )
  .join(', ');

const STRUCTURE: readonly (readonly [Meaning, string])[] = [
  [
    { kind: 'not' },
    'not, no, never, none, no longer, no more, not any more, stopped, stop, unable to, hardly, barely, scarcely, rarely, seldom, cannot, nothing but',
  ],
  [{ kind: 'turn' }, `${TURNING_WORDS}, ${EACH_TIME}`],
  [{ kind: 'compare' }, COMPARING_WORDS],
  [{ kind: 'reference' }, REFERENCES],
  [
    { kind: 'past' },
    'how many time, how many times, how often, did, was, were, when did, when was, when were, when has, when have, had, happened, happen, has been, have been, earlier, lately, recently, recent, previously, in the past, freshly, newly, history, history of, took, taken, brought, knocked, kept, ever, so far, as far back as is remembered, last time, last, latest, formerly, before now',
  ],
  [
    { kind: 'show' },
    'show, show me, show us, list, list me, display, print, name all, name the, name every, display all, show all, list all, print all, give, give me, get, get me, dump, what are, which are, who are, report',
  ],
  [
    { kind: 'verb' },
    'make it to, makes it to, made it to, see, sees, saw, hear, hears, find, finds, get to, gets to, got to, gets through to, comes to, come to, get through to, getting to, talk to, talking to, talks to, talk with, connect to, connects to, receive, receives, receiving, arrive, arrives, arriving, curl, wget, browse, browse to, open, access, speak to, speak with, speaking to, communicate with, go to, send to, sends to, sent to, sending to, log in to, log into',
  ],
  [
    { kind: 'verb', back: true },
    'seen by, heard by, answered, answer, answers, answering, answering to, respond, responds, respond to, responds to, responding to, reply to, replies to, reply, replying to',
  ],
  [{ kind: 'and' }, 'and, as well as, as well, plus, und, also'],
  [
    { kind: 'here' },
    'here, this router, this node, this box, this device, this machine, this switch, myself, me, us, my router, localhost',
  ],
  [
    { kind: 'everywhere' },
    'network, networks, the network, everything, everywhere, anywhere, anything, something, all links, all nodes, all routers, all interfaces, any interface, any link, any node, any router, fabric, backbone, domain, core, somewhere, whole network, our network, all of them, all, each, every, which links, which link, which node, which nodes, which router, which routers, nothing, things',
  ],
  [
    { kind: 'before-fault' },
    'before the fault, before the outage, before the problem, before the trouble, before the incident, before the failure, before the loss, before it broke, before it failed, before it went down, before this fault, before the alarm, before everything broke, just before the fault, right before the fault, just before the outage, right before the outage, shortly before the fault, shortly before the outage, before that outage, before it stopped, before the network broke',
  ],
];

/** Asked for, and not measured by anything here. */
const BEYOND: readonly (readonly [what: string, phrases: string])[] = [
  ['CPU load', 'cpu, cpu load, cpu usage, processor, load average, cpu utilization, cpu utilisation, load'],
  ['memory use', 'memory, ram, memory usage, disk, disk space, swap'],
  ['power and temperature', 'power supply, power, psu, fan, fans, temperature, hot, voltage, battery, ups'],
  ['optics', 'optics, optic, sfp, transceiver, light level, rx power, laser'],
  ['VLANs', 'vlan, vlans, stp, spanning tree, lacp'],
  [
    'classes of service',
    'ef, dscp, best effort, best-effort, cos, qos, assured forwarding, expedited forwarding, ef traffic',
  ],
  ['clocks', 'ntp, clock, time sync, ptp'],
  ['certificates', 'certificate, certificates, cert, certs, expire, expires, expiry, tls, license, licence'],
  ['software versions', 'version, versions, software, firmware, frr version, kernel, frr, image'],
  [
    'configuration text',
    'running-config, running config, startup config, startup-config, config of, configuration of, show run',
  ],
  [
    'routing tables',
    'ip route, ip routes, show ip route, routing table, route table, fib, rib, ipv6 route, routes of, bgp routes, bgp table',
  ],
  ['MAC and ARP tables', 'mac, mac address, mac addresses, arp, arp table, mac table, nd table'],
  [
    'how many there are of a thing',
    'how many links, how many interfaces, how many peers, how many prefixes, how many routes, how many neighbors, how many neighbours, how many sessions',
  ],
  ['loops', 'loop, loops, routing loop'],
  ['firewalls', 'firewall, firewalls, acl, acls, access list, packet filter, filter, filters, firewall blocking, nat'],
  ['ssh, telnet and mail', 'ssh, telnet, ftp, smtp, imap, ssh port, snmp, sip'],
  ['what will be', 'tomorrow, next week, will fail, soon, next month, in the future, going to fail'],
  ['multicast', 'multicast, igmp, pim'],
  ['MPLS and VPNs', 'mpls, ldp, rsvp, vrf, vrfs, l2vpn, l3vpn, evpn, vxlan, ipsec, wireguard, gre'],
  ['what lies outside this network', 'internet, the internet, cloud, google'],
  ['costs and people', 'cost, price, salary, invoice'],
];

/** "Others ok": of what is asked nothing is said. */
const OTHERS_WELL = [
  'others',
  'the others',
  'all others',
  'all the others',
  'the rest',
  'everyone else',
  'all the rest',
]
  .flatMap((others) =>
    ['', 'is ', 'are ', 'seem ', 'seems '].flatMap((verb) =>
      ['ok', 'okay', 'fine', 'good', 'up', 'healthy', 'normal'].map((state) => `${others} ${verb}${state}`),
    ),
  )
  .concat('others work', 'the others work', 'all others work', 'the rest works')
  .join(', ');

const ROWS: readonly (readonly [Meaning, string])[] = [
  [{ kind: 'empty' }, EMPTY_WORDS],
  [{ kind: 'empty', beside: true }, BESIDE_WORDS],
  [
    { kind: 'aside' },
    'ipv4, ipv6, ip4, ip6, udp packets, tcp packets, only, mostly, v4, v6, local time, once, there and back, and back, back and forth, in one direction, one direction, one-way, one way, unidirectional, unidirectionally, big, small, ms, in ms, msec, milliseconds, mbit, in mbit, mbps, queue, queues, increasing, rising, growing, increased, risen, rose, grown, gone up, spiking, spiked, spikes, customer facing, customer-facing, core facing, core-facing, user facing, user-facing, in percent, percentage, same subnet, the same subnet, same network, same prefix, same site, same rack, same lan, in the same subnet, in the same network',
  ],
  [{ kind: 'aside' }, OTHERS_WELL],
  [{ kind: 'aside' }, DEGREES],
  ...ROLES,
  ...NOUNS,
  ...PROTOCOLS,
  ...STRUCTURE,
  ...TOPIC_WORDS,
  ...VERB_WORDS,
  ...BEYOND.map(([what, phrases]): readonly [Meaning, string] => [{ kind: 'beyond', what }, phrases]),
  ...ORDERS,
];

/** All meanings of a phrase, in the order of the tables. */
export const LEXICON: ReadonlyMap<string, readonly Meaning[]> = lexiconOf(ROWS);
/** Words in the longest phrase. */
export const LONGEST_PHRASE = Math.max(...[...LEXICON.keys()].map((phrase) => phrase.split(' ').length));
/** Words that stand alone or in a phrase. */
export const KNOWN_WORDS: ReadonlySet<string> = new Set([...LEXICON.keys()].flatMap((phrase) => phrase.split(' ')));

function lexiconOf(rows: readonly (readonly [Meaning, string])[]): ReadonlyMap<string, readonly Meaning[]> {
  const found = new Map<string, Meaning[]>();
  for (const [meaning, phrases] of rows)
    for (const phrase of phrases.split(',').map((each) => each.trim()))
      found.set(phrase, [...(found.get(phrase) ?? []), meaning]);
  return found;
}
