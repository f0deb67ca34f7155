// ecmp_polarised: of several equal next hops a node uses one alone, since what its kernel hashes is the same in all packets. Packets go on until that one link
// is full. The setting shows it; a fault where it was otherwise within memory, or where the queue of the one link overflows. That few flows take few links is
// how hashing works, and no fault: counters alone accuse no node. Fields of the inner header are chosen for tunnels, and alike in all that is in none: likely.
import { nodeResource } from '#model/names.ts';
import type { EcmpHash } from '#model/router/forwarding.ts';
import { ecmpHashWords, ecmpSetting } from '#model/settings/forwarding-settings.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { familyOf } from '../../network/carried.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { seenOtherwise, settingsBefore } from '../../network/remembered.ts';
import type { View, World } from '../../network/world.ts';
import { queueSymptom, queueSymptoms } from '../../symptoms/links/queue-overflow.ts';

type Detail = {
  readonly node: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Interfaces of equal next hops. */
  readonly members: readonly string[];
  readonly hash: string;
  /** It tells packets apart that are in a tunnel. */
  readonly isInner: boolean;
};

/** Linux: of `fib_multipath_hash_fields`, those that differ between flows that are in no tunnel: addresses, flow label (IPv6) and ports. */
const TELLING_FIELDS = { ipv4: 0x33, ipv6: 0x3b } as const;
/** Those of the header in a tunnel, without its protocol. */
const INNER_FIELDS = 0xec0;

export const ecmpPolarised = defineFault<Detail>({
  id: 'ecmp_polarised',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'of several equal next hops a node uses one alone, since it hashes what is the same in all packets',
  detect: ({ world, past }) =>
    past === undefined ? [...world.views.values()].flatMap((view) => detected(world, view)) : [],
  describe: (detail) => sentence(detail),
  remedy: ({ node, family }) => ({
    node,
    summary: `let ${nodeRef(node)} hash on addresses and ports`,
    command: `sysctl -w net.${family}.fib_multipath_hash_policy=1`,
    decide: 'whether ports are to count: all packets of one connection then still take one way',
  }),
  score: 5,
  consequences: ({ detail: { node, members }, remark }, file) =>
    remark !== undefined
      ? []
      : queueSymptom
          .of(file)
          .filter(({ detail }) => detail.node === node && members.includes(detail.ifname))
          .map(shareOf),
});

function sentence({ node, family, members, hash, isInner }: Detail): string {
  const packets = `${family === 'ipv4' ? 'IPv4' : 'IPv6'}${isInner ? ' that is in no tunnel' : ''}`;
  return `${nodeRef(node)} sends all ${packets} by one of ${members.join(', ')}, which are equal: it chooses by ${hash}, alike in all ${isInner ? 'such ' : ''}packets`;
}

function detected(world: World, { node, state, sources }: View): readonly Detection<Detail>[] {
  return (['ipv4', 'ipv6'] as const).flatMap((family): readonly Detection<Detail>[] => {
    const hash = state.forwarding?.ecmpHash?.[family];
    if (hash === undefined || tells(hash, family)) return [];
    const members = membersAt(world, node, family);
    if (members.length < 2) return [];
    const isInner = ((hash.fields ?? 0) & INNER_FIELDS) !== 0;
    const detail = { node, family, members, hash: `${ecmpHashWords(hash)}${fieldNames(hash)}`, isInner };
    const found = { resource: nodeResource(node), key: family, evidence: sources, nodes: [node], detail };
    const isChanged = hasChanged(world, node, family);
    if (isChanged && !isInner) return [found];
    if (isChanged || overflows(world, node, members)) return [{ ...found, confidence: 'likely' }];
    return [{ ...found, remark: `${sentence(detail)}, as it always did as far as its agent remembers` }];
  });
}

/** Linux: bits of `fib_multipath_hash_fields` by their number (ip-sysctl.rst), of the outer headers and then of the inner ones. */
const FIELD_NAMES = ['source', 'destination', 'IP protocol', 'flow label', 'source port', 'destination port'];

function fieldNames({ fields }: EcmpHash): string {
  if (fields === undefined) return '';
  const all = [...FIELD_NAMES, ...FIELD_NAMES.map((name) => `inner ${name}`)];
  const named = all.filter((_, bit) => (fields & (1 << bit)) !== 0);
  return named.length === 0 ? '' : ` (${named.join(', ')})`;
}

function tells({ fields }: EcmpHash, family: 'ipv4' | 'ipv6'): boolean {
  return fields === undefined || (fields & TELLING_FIELDS[family]) !== 0;
}

/** Of the widest choice that a lookup of the family showed. */
function membersAt({ lookups }: World, node: string, family: 'ipv4' | 'ipv6'): readonly string[] {
  const choices = [...(lookups.get(node)?.values() ?? [])]
    .filter(({ destination }) => familyOf(destination) === family)
    .map(({ ifnames = [] }) => [...new Set(ifnames)].sort());
  return choices.reduce((widest, each) => (each.length > widest.length ? each : widest), []);
}

function hasChanged(world: World, node: string, family: 'ipv4' | 'ipv6'): boolean {
  const seen = seenOtherwise(world, node, ({ forwarding }) => forwarding?.ecmpHash?.[family]);
  return (
    settingsBefore(world, node, 'forwarding', 'node', ecmpSetting(family)).length > 0 ||
    seen.some((was) => tells(was, family))
  );
}

function overflows(world: World, node: string, members: readonly string[]): boolean {
  return queueSymptoms(world).some(
    (symptom) => queueSymptom.is(symptom) && symptom.detail.node === node && members.includes(symptom.detail.ifname),
  );
}
