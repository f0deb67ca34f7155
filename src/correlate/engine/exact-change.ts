// Exact changes of a node's FRR configuration for remedies (TS-19): only where the node is FRR's, and only lines of a plain form. What may be
// configured at all is the closed set of router/config/statements.ts, which refuses the rest.
import type { Remedy, RemedyChange } from '#model/finding.ts';
import type { World } from '../network/world.ts';

const LINE = /^[ -~]{1,200}$/;

/** Empty where the node is not configured by FRR, or a name would not be plain text. */
export function frrChange(world: World, node: string, lines: readonly string[]): Pick<Remedy, 'change'> {
  const isFrr = world.views.get(node)?.state.inventory.driver === 'linux-frr';
  return isFrr && lines.length > 0 && lines.every((line) => LINE.test(line)) ? { change: { lines } } : {};
}

export function onInterface(ifname: string, ...lines: readonly string[]): readonly string[] {
  return [`interface ${ifname}`, ...lines.map((line) => ` ${line}`)];
}

export function inBgp(asn: number, ...lines: readonly string[]): readonly string[] {
  return [`router bgp ${asn}`, ...lines.map((line) => ` ${line}`)];
}

/** Within the address family of a prefix. */
export function inFamily(asn: number, prefix: string, line: string): readonly string[] {
  return inBgp(asn, `address-family ${prefix.includes(':') ? 'ipv6' : 'ipv4'} unicast`, ` ${line}`);
}

/** Both changes of one node as one; `exit` ends what the first was about. */
export function joined(one: Remedy | undefined, other: Remedy | undefined): Remedy | undefined {
  if (one?.change === undefined || other?.change === undefined || one.node !== other.node) return one;
  const commands = [...new Set([one.command, other.command].filter((each) => each !== undefined))];
  return {
    ...one,
    ...(commands.length === 0 ? {} : { command: commands.join('; ') }),
    change: both(one.change, other.change),
  };
}

function both(one: RemedyChange, other: RemedyChange): RemedyChange {
  const same = (each: unknown, than: unknown) => JSON.stringify(each) === JSON.stringify(than);
  const [mine = [], its = []] = [one.lines, other.lines];
  const lines = its.length === 0 || same(mine, its) ? mine : mine.length === 0 ? its : [...mine, 'exit', ...its];
  const known = one.live ?? [];
  const live = [...known, ...(other.live ?? []).filter((each) => !known.some((own) => same(own, each)))];
  return { ...(lines.length === 0 ? {} : { lines }), ...(live.length === 0 ? {} : { live }) };
}
