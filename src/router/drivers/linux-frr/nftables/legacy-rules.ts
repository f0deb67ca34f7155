// Rules of the older packet filter as `iptables-legacy-save -c` and `ip6tables-legacy-save -c` print them, in the words of `nft -j`: so that one
// parser (filters.ts) walks both. What a match demands beyond those words is marked as a match that is not read. Pure.
import type { JsonObject } from '#base/json.ts';
import { GOING_ON } from './filter-rule.ts';

/** Its tables have the names of nftables' own: this sets them apart, and is no name that nft takes. */
export const LEGACY_TABLE = 'legacy ';

const HOOKS: Readonly<Record<string, string>> = {
  PREROUTING: 'prerouting',
  INPUT: 'input',
  FORWARD: 'forward',
  OUTPUT: 'output',
  POSTROUTING: 'postrouting',
};
/** Of a share of packets. */
const SAMPLE_OF = 10_000;
const MATCHES_ALL = new Set(['tcp', 'udp', 'icmp', 'icmp6', 'comment', 'multiport', 'statistic']);
const ICMP_TYPES: Readonly<Record<string, string>> = {
  ...{
    'icmp 0': 'echo-reply',
    'icmp 3': 'destination-unreachable',
    'icmp 8': 'echo-request',
    'icmp 11': 'time-exceeded',
  },
  ...{ 'icmpv6 1': 'destination-unreachable', 'icmpv6 2': 'packet-too-big', 'icmpv6 3': 'time-exceeded' },
  ...{ 'icmpv6 128': 'echo-request', 'icmpv6 129': 'echo-reply', 'icmpv6 135': 'nd-neighbor-solicit' },
  'icmpv6 136': 'nd-neighbor-advert',
};

type Family = 'ip' | 'ip6';

/** Objects as in the list of `nft -j list ruleset`; lines of another form are passed over. */
export function legacyObjects(saved: string, family: Family): readonly JsonObject[] {
  const objects: JsonObject[] = [];
  const policies: JsonObject[] = [];
  const numbers = new Map<string, number>();
  let table = '';
  const chains = new Set<string>();
  for (const line of saved.split('\n')) {
    const begun = /^\*(\S+)/.exec(line)?.[1];
    if (begun !== undefined) chains.clear();
    table = begun ?? table;
    const [, name, policy, counted, sized] = /^:(\S+) (\S+) \[(\d+):(\d+)\]/.exec(line) ?? [];
    if (name !== undefined) {
      chains.add(name);
      objects.push({ chain: chainOf(family, table, name) });
      if (policy === 'DROP')
        policies.push(
          ruleOf({ family, table, chain: name, handle: 0 }, [counter(counted, sized), { drop: null }], 'policy'),
        );
    }
    const [, packets, bytes, chain = '', rest = ''] = /^\[(\d+):(\d+)\] -A (\S+)(.*)$/.exec(line) ?? [];
    if (packets === undefined) continue;
    const handle = (numbers.get(`${table} ${chain}`) ?? 0) + 1;
    numbers.set(`${table} ${chain}`, handle);
    const { matches, verdict, comment } = readWords(wordsOf(rest), family, chains);
    objects.push(ruleOf({ family, table, chain, handle }, [...matches, counter(packets, bytes), ...verdict], comment));
  }
  // What no rule decides, the chain's policy does.
  return [...objects, ...policies];
}

function chainOf(family: Family, table: string, name: string): JsonObject {
  const hook = HOOKS[name];
  return { family, table: LEGACY_TABLE + table, name, ...(hook === undefined ? {} : { hook }) };
}

type Place = { readonly family: Family; readonly table: string; readonly chain: string; readonly handle: number };

function ruleOf({ table, ...place }: Place, expr: readonly JsonObject[], comment?: string): JsonObject {
  return { rule: { ...place, table: LEGACY_TABLE + table, expr, ...(comment === undefined ? {} : { comment }) } };
}

function counter(packets: string | undefined, bytes: string | undefined): JsonObject {
  return { counter: { packets: Number(packets), bytes: Number(bytes) } };
}

/** Words as a shell has them; a backslash keeps a quote within quotes. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) =>
    quoted === undefined ? plain! : quoted.replaceAll(/\\(.)/g, '$1'),
  );
}

type Read = { readonly matches: JsonObject[]; readonly verdict: JsonObject[]; comment?: string };

function readWords(words: readonly string[], family: Family, chains: ReadonlySet<string>): Read {
  const read: Read = { matches: [], verdict: [] };
  let [protocol, isNegated] = ['', false];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '!') {
      isNegated = true;
      continue;
    }
    const value = words[at + 1] ?? '';
    const op = isNegated ? '!=' : '==';
    isNegated = false;
    if (word === '-m') {
      if (!MATCHES_ALL.has(value)) read.matches.push(unread(value));
    } else if (word === '-p') {
      protocol = value;
      read.matches.push(match(op, { meta: { key: 'l4proto' } }, value));
    } else if (word === '-j' || word === '-g') {
      read.verdict.push(...verdictOf(word, value, chains, words.slice(at + 2)));
      // What follows are the target's own words.
      break;
    } else if (word === '--comment') read.comment = value;
    else if (word === '--mode') {
      if (value !== 'random') read.matches.push(unread('statistic'));
    } else if (word.startsWith('-')) read.matches.push(matchOf(word, value, { op, protocol, family }));
    else continue;
    at += hasValue(word, value) ? 1 : 0;
  }
  return read;
}

/** `--syn` and its like stand alone; `!` and options are no values. */
function hasValue(word: string, value: string): boolean {
  return word.startsWith('-') && value !== '' && value !== '!' && !/^-{1,2}[a-z]/i.test(value);
}

type Around = { readonly op: string; readonly protocol: string; readonly family: Family };

function matchOf(word: string, value: string, { op, protocol, family }: Around): JsonObject {
  const place = (of: string, field: string) => ({ payload: { protocol: of, field } });
  const icmp = protocol.includes('v6') || protocol === 'icmp6' ? 'icmpv6' : 'icmp';
  switch (word) {
    case '-s':
      return match(op, place(family, 'saddr'), prefixOf(value));
    case '-d':
      return match(op, place(family, 'daddr'), prefixOf(value));
    case '-i':
      return match(op, { meta: { key: 'iifname' } }, value.replace(/\+$/, '*'));
    case '-o':
      return match(op, { meta: { key: 'oifname' } }, value.replace(/\+$/, '*'));
    case '--sport':
    case '--sports':
      return match(op, place(protocol, 'sport'), portsOf(value));
    case '--dport':
    case '--dports':
      return match(op, place(protocol, 'dport'), portsOf(value));
    case '--icmp-type':
    case '--icmpv6-type':
      return value === 'any'
        ? { continue: null }
        : match(op, place(icmp, 'type'), ICMP_TYPES[`${icmp} ${value}`] ?? null);
    case '--probability': {
      const share = Math.round(Number(value) * SAMPLE_OF);
      return match('<', { numgen: { mode: 'random', mod: SAMPLE_OF, offset: 0 } }, share);
    }
    default:
      return unread(`${op === '!=' ? '! ' : ''}${word}${hasValue(word, value) ? ` ${value}` : ''}`);
  }
}

function match(op: string, left: JsonObject, right: JsonObject | string | number | null): JsonObject {
  return { match: { op, left, right } };
}

/** A demand that is not read, as nft prints those of xtables. */
function unread(name: string): JsonObject {
  return { xt: { type: 'match', name } };
}

/** A mask that is no prefix length stays as it is, and may match anything. */
function prefixOf(text: string): JsonObject | string {
  const [addr = '', len] = text.split('/');
  return len === undefined || !/^\d+$/.test(len) ? text : { prefix: { addr, len: Number(len) } };
}

function portsOf(text: string): JsonObject | number {
  const ports = text.split(',').map((part): JsonObject | number => {
    const [low = '', high] = part.split(':');
    return high === undefined ? Number(low) : { range: [Number(low), Number(high)] };
  });
  return ports.length === 1 ? ports[0]! : { set: ports };
}

/** `rest`: words of the target's own. */
function verdictOf(
  word: string,
  target: string,
  chains: ReadonlySet<string>,
  rest: readonly string[],
): readonly JsonObject[] {
  if (word === '-g') return [{ goto: { target } }];
  switch (target) {
    case 'DROP':
      return [{ drop: null }];
    case 'REJECT':
      return [{ reject: null }];
    case 'ACCEPT':
      return [{ accept: null }];
    case 'RETURN':
      return [{ return: null }];
    case 'LOG':
    case 'NFLOG':
      return [{ log: null }];
    case 'TCPMSS':
      return [segmentSize(rest)];
    case 'TTL':
      return [hopsLeft({ protocol: 'ip', field: 'ttl' }, rest, '--ttl-set')];
    case 'HL':
      return [hopsLeft({ protocol: 'ip6', field: 'hoplimit' }, rest, '--hl-set')];
    default:
      // What is no chain is a target of the kernel; after some the rules go on, as after a jump into nothing.
      return chains.has(target) || GOING_ON.has(target)
        ? [{ jump: { target } }]
        : [{ xt: { type: 'target', name: target } }];
  }
}

/** `--set-mss 1340`, or `--clamp-mss-to-pmtu`: as nft has it. */
function segmentSize(words: readonly string[]): JsonObject {
  const size = Number(words[words.indexOf('--set-mss') + 1]);
  const value = words.includes('--set-mss') ? size : { rt: { key: 'mtu' } };
  return { mangle: { key: { 'tcp option': { name: 'maxseg', field: 'size' } }, value } };
}

/** `--ttl-set 64`; one that is counted up or down (`--ttl-dec 1`) depends on the packet. */
function hopsLeft(payload: JsonObject, words: readonly string[], option: string): JsonObject {
  const value = words.includes(option) ? Number(words[words.indexOf(option) + 1]) : null;
  return { mangle: { key: { payload }, value } };
}
