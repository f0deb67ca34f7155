// Rows of the grammar for questions that name no path: what is wrong, a lost neighbour, a link in trouble, two nodes that
// cannot reach each other. They only recognise; none of them looks at the network. Implements TS-7a.
import type { RoutingProtocol } from '#model/intent.ts';
import type { IntentForm, Recognition } from './form.ts';
import { intentOf } from './make-intent.ts';
import { isName, pathIn } from './path-phrase.ts';
import { serviceIn } from './service-phrase.ts';
import { structured } from './structured.ts';

const PROTOCOLS: readonly (readonly [RoutingProtocol, RegExp])[] = [
  ['isis', /\bis-?is\b/i],
  ['bgp', /\b[ei]?bgp\b/i],
  ['ospf', /\bospf(?:v?[236])?\b/i],
  ['bfd', /\bbfd\b/i],
];
const BAD =
  "(?:down|lost|gone|missing|flap(?:s|ping)?|idle|stuck|broken|fail(?:s|ed|ing)?|bad|dead|wrong|unstable|bounc(?:es|ing)|reset(?:s|ting)?|won'?t\\s+come\\s+up|(?:does|do)(?:n't|\\s+not)\\s+come\\s+up|not\\s+(?:up|established|coming\\s+up|working|full))";
const NEIGHBOUR = /\b(?:neighbou?rs?|neighbou?rship|peers?|peering|sessions?|adjacenc(?:y|ies))\b/i;
const ADDRESS = '(?:\\d{1,3}(?:\\.\\d{1,3}){3}(?:\\/\\d{1,2})?|[0-9a-f]{0,4}:[0-9a-f:.]+(?:\\/\\d{1,3})?)';
export const ADDRESSED = new RegExp(`(?<![\\w:.])(${ADDRESS})(?![\\w:])`, 'i');
const WORD = '[A-Za-z0-9][A-Za-z0-9._:-]*';
const TITLE = '(?:(?:the|our|my|router|node|device|host|switch|agent|interface|port|link|neighbou?r|peer)\\s+)*';
/** Behind these stands a name; behind a verb only where it begins a question: "is r1 ok", not "r1 is misconfigured". */
const PREPOSITION = '(?<!-)\\b(?:on|with|at|of|about|for|from|near|around|behind|in|troubleshoot|diagnose|check)';
const VERB =
  '(?:^\\s*|\\b(?:why|how|what|when|where|since|so|and|then|or|please|hey|hi|hello)\\s+)(?:is|was|did|does|has)';
/** The name is looked ahead at: "check of r1" has two places. */
const PLACE = new RegExp(`(?:${PREPOSITION}|${VERB})\\s+${TITLE}(?=(${WORD}))`, 'gi');
const IFNAME =
  /\b((?:eth|ens|enp|eno|swp|ge-|xe-|et-|te|gi|lan|bond|br|vlan|po|Ethernet|to-)[A-Za-z0-9/._-]*\d[A-Za-z0-9/._-]*|[A-Za-z]\w*\d+\.\d+)\b/i;
/** Where a service is, not a port of a router: `198.51.100.7 port 80`, `tcp port 443`. */
const SERVICE_PORT = /(?<=[\d.:a-f]\s{1,3}|\b(?:tcp|udp)[\s/])port\s+\d{1,5}\b/gi;
/** Words in a node's place that mean everything, or nothing. */
const GENERAL = new Set(
  'network everything anything here fabric backbone domain system it this that there all things core path traffic now today us me internet routing bgp isis is-is ospf bfd srv6 wrong down up not broken slow state health healthy ok okay fine good bad wrong faulty line order trouble the a an and why what which adjacency adjacencies session sessions neighbor neighbour neighbors neighbours peer peers peering interface port link cable name dns web http https unreachable reachable something anything nothing someone acting up exstart exchange init loading attempt active connect opensent openconfirm established full two-way 2-way lost losing dropping slowly last night morning site problems problem errors error issues drops faults high low many some no any all http: https:'.split(
    ' ',
  ),
);

const neighbourDown: IntentForm = {
  kind: 'neighbour-down',
  examples: [
    'Why is BGP neighbor 192.0.2.1 down?',
    'why did PE-1 lose its IS-IS adjacency with P-2?',
    '{ kind: neighbour-down, protocol: bgp, neighbour: 192.0.2.1, nodes: [PE-1] }',
  ],
  about: (text) =>
    (NEIGHBOUR.test(text) && (protocolIn(text) !== undefined || new RegExp(`\\b${BAD}\\b`, 'i').test(text))) ||
    (protocolIn(text) !== undefined && new RegExp(`\\b${BAD}\\b`, 'i').test(text)),
  fromText: (text) => {
    const protocol = protocolIn(text);
    const address = ADDRESSED.exec(clean(text))?.[1];
    const ends = pathIn(text).filter(usable);
    const after = new RegExp(
      `\\b(?:neighbou?r|peer|session|adjacency|peering|neighbou?rship)\\s+(?:(?:with|to|towards?|for|of)\\s+)?${TITLE}(${WORD})`,
      'i',
    ).exec(clean(text))?.[1];
    const named = address ?? (usable(after) ? after : undefined);
    const nodes = ends.length === 2 ? ends : placesIn(text).filter((name) => name !== named);
    return intentOf('neighbour-down', text, nodes, {
      ...(protocol === undefined ? {} : { protocol }),
      ...(named === undefined || ends.length === 2 ? {} : { neighbour: named }),
    });
  },
  fromStructure: (value, text) => structured('neighbour-down', value, text, ['protocol', 'neighbour']),
};

const interfaceFault: IntentForm = {
  kind: 'interface-fault',
  examples: [
    'What is wrong with interface eth1 on PE-1?',
    'check the link between PE-1 and P-2',
    '{ kind: interface-fault, nodes: [PE-1], ifname: eth1 }',
  ],
  // To be shown something is another wish than to know what is wrong with it.
  about: (text) =>
    !/^\s*(?:show|list|display|get)\b/i.test(text) &&
    (/\b(?:interface|port|link|cable|circuit|wire|carrier)s?\b/i.test(text.replace(SERVICE_PORT, '')) ||
      /\b(?:eth|ens|swp|enp)\d/i.test(text)),
  fromText: (text) => {
    const ends = pathIn(text);
    const ifname = IFNAME.exec(text)?.[1];
    const nodes = ends.length > 0 ? ends : placesIn(text).filter((name) => name !== ifname);
    const lead =
      ifname === undefined
        ? undefined
        : new RegExp(`(${WORD})[\\s:]+(?:interface\\s+|port\\s+)?${escaped(ifname)}`, 'i').exec(clean(text))?.[1];
    const all = nodes.length === 0 && usable(lead) && lead !== ifname ? [lead!] : nodes;
    if (all.length === 0 && ifname === undefined && /\b(?:any|all|some|every|which|our|the)\b/i.test(text))
      return intentOf('fault', text, [], {});
    if (all.length === 0 && ifname === undefined)
      return { ok: false, understood: ['a link or interface'], problem: 'no node was named' };
    return intentOf('interface-fault', text, all, ifname === undefined ? {} : { ifname });
  },
  fromStructure: (value, text) => structured('interface-fault', value, text, ['ifname']),
};

const REACH =
  /\b(?:reach(?:able|ability|es|ing)?|unreachable|ping(?:s|ing)?|connect(?:ivity|ion|s|ed)?|talk(?:s|ing)?\s+to|get\s+to|access|resolv(?:e|es|ing)|look(?:s|ing)?\s+up|slow|latency|delay(?:s|ed)?|mtu|fragment\w*|jitter|rtt|round[- ]?trip|throughput|bandwidth|traceroute|tim(?:e|es|ed|ing)[ -]?outs?|get(?:s|ting)?\s+through|congest\w*|saturat\w*|jumbo\w*|(?:not|n't|no)\s+(?:answer\w*|respon\w*|load\w*))\b/i;

const reachability: IntentForm = {
  kind: 'reachability',
  examples: [
    'Why can PE-1 not reach PE-3?',
    'is there connectivity between pe1 and 198.51.100.7?',
    'Why can PE-1 not reach the DNS server 198.51.100.53?',
    'Why can PE-1 not resolve www.example.net at 198.51.100.53?',
    'why is the path from PE-1 to PE-3 slow?',
    '{ kind: reachability, nodes: [PE-1, PE-3] }',
  ],
  about: (text) => !/^\s*(?:show|list|display|get)\b/i.test(text) && REACH.test(text),
  fromText: (text) => {
    const address = ADDRESSED.exec(clean(text))?.[1];
    const ends = address === undefined ? reachEnds(text) : [];
    if (ends.length >= 2) return intentOf('reachability', text, ends, {});
    const service = address === undefined ? undefined : serviceIn(text);
    const nodes = placesIn(text).filter((name) => name !== address && name !== service?.record);
    const subject = new RegExp(
      `\\b(?:can(?:no|')?t?|does|do|could|is)\\s+(?:the\\s+|router\\s+|node\\s+)?(${WORD})\\s+(?:not\\s+|still\\s+)?(?:reach|ping|talk|get|access|connect|resolve|look)`,
      'i',
    ).exec(text)?.[1];
    const from = nodes[0] ?? (usable(subject) ? subject : undefined);
    if (address === undefined)
      return {
        ok: false,
        understood: ['reachability'],
        problem: 'two nodes, or a node and an address, were not named',
      };
    return intentOf('reachability', text, from === undefined ? [] : [from], {
      destination: address,
      ...(service === undefined ? {} : { service }),
    });
  },
  fromStructure: (value, text) => structured('reachability', value, text, ['destination', 'service', 'record']),
};

const TROUBLE =
  /\b(?:wrong|broken|trouble(?:s|shoot\w*)?|problems?|issues?|faults?|faulty|diagnos\w+|root[ -]?cause|outage|health(?:y|check)?|status|going on|the matter|happen(?:s|ed|ing)?|fail(?:s|ed|ing|ures?)?|not work(?:ing|s)?|(?:is|are) (?:\w+ )?(?:ok|okay|fine|good|down|up)|check (?:the )?(?:network|everything|fabric|backbone)|slow|unreachable|what'?s up|sick|unwell|misconfigur\w+|anomal\w+|incident|complain\w*|time-?outs?|alarms?|alerts?|errors?|corrupt\w*|damaged|checksums?|crc|hijack\w*|all ?right|how (?:is|are) .{1,40} doing|(?:is|are) \w+ working|(?:takes?|taking) (?:too |so |very )?long|no (?:\w+ )?(?:dhcp|address(?:es)?|leases?)|stutter\w*|choppy|sluggish|slowly)\b/i;

const fault: IntentForm = {
  kind: 'fault',
  examples: [
    'What is wrong?',
    'What is wrong with PE-1?',
    'What was wrong in the last ten minutes?',
    'is the network healthy?',
    '{ kind: fault, nodes: [PE-1] }',
  ],
  about: (text) => TROUBLE.test(text),
  fromText: (text) => {
    // Of an address nothing is known but who has it: whether it can be reached is the question.
    if (ADDRESSED.test(clean(text))) return addressed(text);
    const ends = pathIn(text);
    return intentOf('fault', text, ends.length > 0 ? ends : placesIn(text), {});
  },
  fromStructure: (value, text) => structured('fault', value, text, []),
};

/** A sentence with an address in it, read as a question about reaching that. */
export function addressed(text: string): Recognition {
  return reachability.fromText(text);
}

/** In the order in which they are tried: the more particular first. */
export const FAULT_FORMS: readonly IntentForm[] = [neighbourDown, interfaceFault, reachability, fault];

function protocolIn(text: string): RoutingProtocol | undefined {
  return PROTOCOLS.find(([, pattern]) => pattern.test(text))?.[0];
}

function reachEnds(text: string): readonly string[] {
  const ends = pathIn(text);
  if (ends.length >= 2) return ends;
  const verb = new RegExp(
    `\\b(${WORD})\\s+(?:can(?:no|')?t?\\s+|does(?:n't)?\\s+|not\\s+|to\\s+|still\\s+|no longer\\s+)*(?:reach(?:es)?|ping|talk\\s+to|get\\s+to|access|connect\\s+to)\\s+${TITLE}(${WORD})`,
    'i',
  ).exec(clean(text));
  const [from, to] = [verb?.[1], verb?.[2]];
  return usable(from) && usable(to) ? [from!, to!] : [];
}

/** Names after "on", "with", "at" and the like, those that mean everything left out. */
export function placesIn(text: string): readonly string[] {
  const names = [...clean(text).matchAll(PLACE)].map((match) => match[1]!.replace(/'s$/, ''));
  return [...new Set(names.filter((name) => usable(name) && !new RegExp(`^${ADDRESS}$`, 'i').test(name)))];
}

function usable(name: string | undefined): name is string {
  return (
    name !== undefined &&
    isName(name) &&
    !GENERAL.has(name.toLowerCase()) &&
    !new RegExp(`^${BAD}$`, 'i').test(name) &&
    !IFNAME.test(name)
  );
}

function clean(text: string): string {
  return text
    .replace(/[?!;"`“”‘’,()]+/g, ' ')
    .replace(/\.(?=\s|$)/g, ' ')
    .replace(/['’]s\b/g, ' ');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
