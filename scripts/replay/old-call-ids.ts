// Decodes a call's id into what the call was for: the planners of src/intent write that into ids. Each id has exactly one form (formsOf);
// an id that no planner writes is foreign. NODE is a node's name, IF an interface of that node without a slash, N a number. Three words
// cannot be the second node's name, as in `probe/NODE/capture`: capture, sid-statistics and all words that begin with `parley-`.
import type { LinkEnd } from '#model/names.ts';

/** Which of the measurement rounds: the first, a confirmation of what that put in doubt, an extended one where the doubt remains. */
export type OldRound = 'first' | 'confirmation' | 'extended';

export type OldPurpose =
  /** `(before|after)/NODE/parley-node-state` */
  | { readonly form: 'state'; readonly when: 'before' | 'after'; readonly node: string }
  /** `(before|after)/NODE/parley-relay/NODE`: asked of the first for the second. */
  | { readonly form: 'relayed-state'; readonly when: 'before' | 'after'; readonly by: string; readonly node: string }
  /** `deepen/NODE/counts/(first|last)`: before and after an extended round. */
  | { readonly form: 'counters'; readonly node: string; readonly reading: 'first' | 'last' }
  /** `deepen/NODE/log` */
  | { readonly form: 'log'; readonly node: string }
  /** `probe/NODE/NODE`: along a path, in SRv6 or over the link between the two. */
  | { readonly form: 'path-probe'; readonly from: string; readonly to: string }
  /** `probe/NODE/NODE/flows` */
  | { readonly form: 'path-flows'; readonly from: string; readonly to: string }
  /** `probe/NODE/sid-statistics` */
  | { readonly form: 'sid-statistics'; readonly node: string }
  /** `probe/NODE/capture`: probes as they leave the head of a path. */
  | { readonly form: 'probe-capture'; readonly node: string }
  /** `probe/NODE/capture/IF` */
  | { readonly form: 'handshake-capture'; readonly at: LinkEnd }
  /** `probe/NODE:IF/NODE:IF/(link|again|long)`: many small probes over a link. */
  | { readonly form: 'link-probe'; readonly from: LinkEnd; readonly to: LinkEnd; readonly round: OldRound }
  /** `probe/NODE:IF/NODE:IF/large` and `…/large/N`: a train of large probes, the first and the Nth (from 2). */
  | { readonly form: 'link-train'; readonly from: LinkEnd; readonly to: LinkEnd; readonly turn: number }
  /** `probe/NODE:IF/NODE:IF/srv6`: in SRv6, over a link where a filter may be against that. */
  | { readonly form: 'srv6-probe'; readonly from: LinkEnd; readonly to: LinkEnd }
  /** `probe/NODE:IF/NODE:IF/marked/N`: with this DSCP. */
  | { readonly form: 'dscp-probe'; readonly from: LinkEnd; readonly to: LinkEnd; readonly dscp: number }
  /** `probe/NODE:IF/NODE/marked/N`: the same towards a node that gives no state. */
  | { readonly form: 'dscp-probe-out'; readonly from: LinkEnd; readonly towards: string; readonly dscp: number }
  /** `probe/NODE/cross/NODE/NODE:IF`: through the second to the third. */
  | { readonly form: 'transit-probe'; readonly from: string; readonly through: string; readonly to: LinkEnd }
  /** `(probe|deepen)/NODE:IF/past/NODE/NODE:IF`: through a node that gives no state, back to the same end or on to another neighbour. */
  | {
      readonly form: 'non-reporting-transit';
      readonly from: LinkEnd;
      readonly through: string;
      readonly to: LinkEnd;
      readonly round: 'first' | 'confirmation';
    }
  /** `deepen/NODE/loop/NODE/NODE…`: steered through these nodes, the last of which is the sender. */
  | { readonly form: 'loop'; readonly node: string; readonly visits: readonly string[] }
  /** `(probe|deepen)/NODE/parley-lookups` and `…/N`: the Nth part (from 2) of many destinations. */
  | { readonly form: 'lookups'; readonly node: string; readonly part: number; readonly round: 'first' | 'confirmation' }
  /** `before/NODE/parley-lookups/ADDRESS`: on the way to what the question asks about. */
  | { readonly form: 'path-lookup'; readonly node: string; readonly destination: string }
  /** `probe/NODE/parley-reach`: loopbacks and own addresses of other nodes. */
  | { readonly form: 'reach'; readonly node: string }
  /** `probe/NODE/parley-reach/links` and `deepen/NODE/parley-reach/long/N`: IPv4 over the node's links, the Nth run of the extended round. */
  | { readonly form: 'link-echoes'; readonly node: string; readonly round: 'first' | 'extended'; readonly run: number }
  /** `deepen/NODE/parley-reach/again/IF`: IPv4 over one link. */
  | { readonly form: 'link-echoes-again'; readonly from: LinkEnd }
  /** `probe/NODE/parley-reach/plain`: over links without IPv6 addresses. */
  | { readonly form: 'plain-links'; readonly node: string }
  /** `probe/NODE/parley-reach/asked`: the addresses that the question names. */
  | { readonly form: 'asked-reach'; readonly node: string }
  /** `deepen/NODE/parley-reach/again`: addresses that lost probes. */
  | { readonly form: 'reach-again'; readonly node: string }
  /**
   * `(probe|deepen)/NODE/parley-stations`, `deepen/NODE/parley-stations/search`, `deepen/NODE/parley-stations/offered`; asked of another
   * node, `by`: `(probe|deepen)/NODE/parley-relay/NODE/parley-stations` and so on.
   */
  | { readonly form: 'host-scan'; readonly node: string; readonly by?: string; readonly scan: OldScan }
  /**
   * `probe/NODE/parley-knock` (what filters may drop) and, below it, `asked`, `echo`, `seen`, `names`, `far`; below
   * `deepen/NODE/parley-knock`: `far`, `times`, `offered`.
   */
  | { readonly form: 'service-probe'; readonly node: string; readonly about: OldServiceProbe }
  /** `(probe|deepen)/NODE/parley-dhcp` */
  | { readonly form: 'dhcp'; readonly node: string; readonly round: 'first' | 'confirmation' }
  | { readonly form: 'foreign'; readonly id: string };

/** Known hosts; the same again with all IPv6 nodes of the link; likely places of hosts that lost their address; offered routers. */
export type OldScan = 'known' | 'confirmation' | 'search' | 'offered';

export type OldServiceProbe =
  | 'filters'
  | 'asked'
  | 'asked-echo'
  | 'seen'
  | 'misled-names'
  | 'far-echo'
  | 'far-echo-again'
  | 'name-times'
  | 'offered-names';

/** Total. */
export function decodeOldCallId(id: string): OldPurpose {
  return formsOf(id)[0] ?? { form: 'foreign', id };
}

/** Every form that the id has: one, or none. */
export function formsOf(id: string): readonly OldPurpose[] {
  return FORMS.flatMap(({ pattern, read }) => {
    const groups = pattern.exec(id)?.groups;
    return groups === undefined ? [] : [read(groups as Parts)];
  });
}

type Parts = Readonly<Record<string, string>>;
type Form = { readonly pattern: RegExp; readonly read: (parts: Parts) => OldPurpose };

const NODE = '[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?';
const IFNAME = '[^/\\s]+';

/** `<a>` is a node, `<a:>` a node with an interface, `<#a>` a number; the rest is a regular expression. */
function form(text: string, read: Form['read']): Form {
  const source = text
    .replaceAll(/<(\w+):>/g, (_, name) => `(?<${name}>${NODE}):(?<${name}If>${IFNAME})`)
    .replaceAll(/<#(\w+)>/g, (_, name) => `(?<${name}>[0-9]{1,6})`)
    .replaceAll(/(?<!\?)<(\w+)>/g, (_, name) => `(?<${name}>${NODE})`);
  return { pattern: new RegExp(`^(?:${source})$`), read };
}

const end = (parts: Parts, name: string): LinkEnd => ({ node: parts[name]!, ifname: parts[`${name}If`]! });
const ends = (parts: Parts) => ({ from: end(parts, 'a'), to: end(parts, 'b') });
const roundOf = ({ phase }: Parts) => (phase === 'probe' ? 'first' : 'confirmation');
const whenOf = ({ when }: Parts) => when as 'before' | 'after';

/** What stands in a second node's place and is none. */
const NO_NODE = '(?!(?:capture|sid-statistics|parley-[a-z-]+)(?:/|$))';
const LINK_ROUNDS: Readonly<Record<string, OldRound>> = { link: 'first', again: 'confirmation', long: 'extended' };
const SCANS: Readonly<Record<string, OldScan>> = {
  probe: 'known',
  deepen: 'confirmation',
  'deepen/search': 'search',
  'deepen/offered': 'offered',
};
const SERVICE_PROBES: Readonly<Record<string, OldServiceProbe>> = {
  probe: 'filters',
  'probe/asked': 'asked',
  'probe/echo': 'asked-echo',
  'probe/seen': 'seen',
  'probe/names': 'misled-names',
  'probe/far': 'far-echo',
  'deepen/far': 'far-echo-again',
  'deepen/times': 'name-times',
  'deepen/offered': 'offered-names',
};

const keyed = ({ phase, more }: Parts) => (more === undefined ? phase! : `${phase}/${more}`);

const FORMS: readonly Form[] = [
  form('(?<when>before|after)/<a>/parley-node-state', (parts) => ({
    form: 'state',
    when: whenOf(parts),
    node: parts['a']!,
  })),
  form('(?<when>before|after)/<a>/parley-relay/<b>', (parts) => ({
    ...{ form: 'relayed-state', when: whenOf(parts), by: parts['a']!, node: parts['b']! },
  })),
  form('deepen/<a>/counts/(?<reading>first|last)', ({ a, reading }) => ({
    ...{ form: 'counters', node: a!, reading: reading as 'first' | 'last' },
  })),
  form('deepen/<a>/log', ({ a }) => ({ form: 'log', node: a! })),
  form(`probe/<a>/${NO_NODE}<b>`, ({ a, b }) => ({ form: 'path-probe', from: a!, to: b! })),
  form(`probe/<a>/${NO_NODE}<b>/flows`, ({ a, b }) => ({ form: 'path-flows', from: a!, to: b! })),
  form('probe/<a>/sid-statistics', ({ a }) => ({ form: 'sid-statistics', node: a! })),
  form('probe/<a>/capture', ({ a }) => ({ form: 'probe-capture', node: a! })),
  form(`probe/<a>/capture/(?<aIf>${IFNAME})`, (parts) => ({ form: 'handshake-capture', at: end(parts, 'a') })),
  form('probe/<a:>/<b:>/(?<round>link|again|long)', (parts) => ({
    ...{ form: 'link-probe', ...ends(parts), round: LINK_ROUNDS[parts['round']!]! },
  })),
  form('probe/<a:>/<b:>/large(?:/<#turn>)?', (parts) => ({
    ...{ form: 'link-train', ...ends(parts), turn: Number(parts['turn'] ?? 1) },
  })),
  form('probe/<a:>/<b:>/srv6', (parts) => ({ form: 'srv6-probe', ...ends(parts) })),
  form('probe/<a:>/<b:>/marked/<#dscp>', (parts) => ({
    ...{ form: 'dscp-probe', ...ends(parts), dscp: Number(parts['dscp']) },
  })),
  form('probe/<a:>/<b>/marked/<#dscp>', (parts) => ({
    ...{ form: 'dscp-probe-out', from: end(parts, 'a'), towards: parts['b']!, dscp: Number(parts['dscp']) },
  })),
  form('probe/<a>/cross/<c>/<b:>', (parts) => ({
    ...{ form: 'transit-probe', from: parts['a']!, through: parts['c']!, to: end(parts, 'b') },
  })),
  form('(?<phase>probe|deepen)/<a:>/past/<c>/<b:>', (parts) => ({
    ...{ form: 'non-reporting-transit', ...ends(parts), through: parts['c']!, round: roundOf(parts) },
  })),
  form(`deepen/<a>/loop/(?<visits>${NODE}(?:/${NODE})*)`, ({ a, visits }) => ({
    ...{ form: 'loop', node: a!, visits: visits!.split('/') },
  })),
  form('(?<phase>probe|deepen)/<a>/parley-lookups(?:/<#part>)?', (parts) => ({
    ...{ form: 'lookups', node: parts['a']!, part: Number(parts['part'] ?? 1), round: roundOf(parts) },
  })),
  form('before/<a>/parley-lookups/(?<destination>[0-9a-fA-F.:]+)', ({ a, destination }) => ({
    ...{ form: 'path-lookup', node: a!, destination: destination! },
  })),
  form('probe/<a>/parley-reach', ({ a }) => ({ form: 'reach', node: a! })),
  form('probe/<a>/parley-reach/links', ({ a }) => ({ form: 'link-echoes', node: a!, round: 'first', run: 1 })),
  form('deepen/<a>/parley-reach/long/<#run>', ({ a, run }) => ({
    ...{ form: 'link-echoes', node: a!, round: 'extended', run: Number(run) },
  })),
  form(`deepen/<a>/parley-reach/again/(?<aIf>${IFNAME})`, (parts) => ({
    ...{ form: 'link-echoes-again', from: end(parts, 'a') },
  })),
  form('probe/<a>/parley-reach/plain', ({ a }) => ({ form: 'plain-links', node: a! })),
  form('probe/<a>/parley-reach/asked', ({ a }) => ({ form: 'asked-reach', node: a! })),
  form('deepen/<a>/parley-reach/again', ({ a }) => ({ form: 'reach-again', node: a! })),
  ...['', '/(?<more>search|offered)'].flatMap((more) => {
    const phase = more === '' ? '(?<phase>probe|deepen)' : '(?<phase>deepen)';
    const scan = (parts: Parts) => SCANS[keyed(parts)]!;
    return [
      form(`${phase}/<a>/parley-stations${more}`, (parts) => ({
        ...{ form: 'host-scan', node: parts['a']!, scan: scan(parts) },
      })),
      form(`${phase}/<b>/parley-relay/<a>/parley-stations${more}`, (parts) => ({
        ...{ form: 'host-scan', node: parts['a']!, by: parts['b']!, scan: scan(parts) },
      })),
    ];
  }),
  form('(?<phase>probe)/<a>/parley-knock(?:/(?<more>asked|echo|seen|names|far))?', (parts) => ({
    ...{ form: 'service-probe', node: parts['a']!, about: SERVICE_PROBES[keyed(parts)]! },
  })),
  form('(?<phase>deepen)/<a>/parley-knock/(?<more>far|times|offered)', (parts) => ({
    ...{ form: 'service-probe', node: parts['a']!, about: SERVICE_PROBES[keyed(parts)]! },
  })),
  form('(?<phase>probe|deepen)/<a>/parley-dhcp', (parts) => ({
    form: 'dhcp',
    node: parts['a']!,
    round: roundOf(parts),
  })),
];
