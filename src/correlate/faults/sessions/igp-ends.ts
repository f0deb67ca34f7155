// The two ends of links over which IS-IS or OSPF is to run and is not adjacent: which of their settings cannot go together. What has a name
// (level, area, network type, timers, a password at one end) is compared too, for where its own definition cannot tell which end is wrong.
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import {
  type IsisCircuit,
  OSPF_NAMES,
  type OspfInterface,
  type OspfVersion,
  ospfRows,
} from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { majority } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { interfaceOf, type World } from '../../network/world.ts';
import { activeCircuits, brokenAdjacencies as brokenIsis } from '../isis/circuit-ends.ts';
import { brokenAdjacencies as brokenOspf } from '../ospf/ospf-ends.ts';
import { type Compared, type Difference, type Mismatch, oddNodes } from './mismatch.ts';
import { hasLogged, refusedHellos } from './refused.ts';

export function igpMismatches(file: CaseFile): readonly Mismatch[] {
  return [...isisMismatches(file), ...ospfMismatches(file)];
}

type IgpEnd<Row> = Compared<Row> & { readonly end: LinkEnd };
type Ends<Row> = readonly [IgpEnd<Row>, IgpEnd<Row>];

function isisMismatches(file: CaseFile): readonly Mismatch[] {
  return brokenIsis(file).flatMap(({ symptom, ends: [from, to] }) => {
    const [one, other] = [from, to].map(({ end, circuit }) => {
      const circuits = file.world.views.get(end.node)?.state.isis?.circuits ?? [];
      const others = circuits.filter((each) => each !== circuit && !each.passive);
      return circuit === undefined || circuit.passive ? undefined : { node: end.node, end, row: circuit, others };
    });
    if (one === undefined || other === undefined) return [];
    const ends: Ends<IsisCircuit> = [one, other];
    return mismatchOf('IS-IS', file.world, symptom, ends, isisDifferences(file.world, ends), [
      ['system id', ({ node }) => file.world.views.get(node)?.state.isis?.systemId ?? 'not known'],
      ['password', ({ row }) => row.password],
      ['network', ({ row }) => row.network],
      ['level', ({ row }) => row.level],
      ['families', ({ row }) => isisFamilies(row).join(' ') || 'none'],
      ['hellos refused', ({ row }) => row.rejects ?? 'not known'],
    ]);
  });
}

function isisDifferences(world: World, ends: Ends<IsisCircuit>): readonly Difference[] {
  const [near, far] = ends;
  const isRefused = ends.some(({ end }) => refusedHellos(world, end));
  const circuits = activeCircuits(world, [near.end, far.end]).map(({ circuit }) => circuit);
  const hasPassword = near.row.password !== 'none' && near.row.password === far.row.password;
  const noFamily = !isisFamilies(near.row).some((family) => isisFamilies(far.row).includes(family));
  return [
    ...undecided(ends, circuits, 'password', ({ password }) => password),
    ...undecided(ends, circuits, 'network type', ({ network }) => network),
    ...(hasPassword && isRefused ? [passwords(ends)] : []),
    ...(noFamily ? differing(ends, 'families', (row) => isisFamilies(row).join(' ') || 'none') : []),
  ];
}

function isisFamilies({ ipv4, ipv6 }: IsisCircuit): readonly string[] {
  return [...(ipv4 ? ['ipv4'] : []), ...(ipv6 ? ['ipv6'] : [])];
}

function ospfMismatches(file: CaseFile): readonly Mismatch[] {
  return brokenOspf(file).flatMap(({ symptom, version, ends: [from, to] }) => {
    const [one, other] = [from, to].map(({ end, row }) => {
      const rows = ospfRows(file.world.views.get(end.node)?.state ?? {}, version);
      const others = rows.filter((each) => each !== row && !each.passive);
      return row === undefined || row.passive ? undefined : { node: end.node, end, row, others };
    });
    if (one === undefined || other === undefined) return [];
    const ends: Ends<OspfInterface> = [one, other];
    return mismatchOf(OSPF_NAMES[version], file.world, symptom, ends, ospfDifferences(file.world, ends, version), [
      ['router id', ({ row }) => row.routerId ?? 'not known'],
      ['authentication', ({ row }) => row.authentication ?? 'not known'],
      ['network', ({ row }) => row.network || 'not known'],
      ['area', ({ row }) => row.area],
      ['timers', timersOf],
      version === 3
        ? ['instance id', ({ row }) => numeral(row.instanceId) ?? 'not known']
        : ['prefix length', ({ end }) => prefixLength(file.world, end) ?? 'not known'],
    ]);
  });
}

/**
 * On a network of many, hellos of OSPFv2 carry the mask, and another one is refused (RFC 2328 §10.5); those of OSPFv3 carry none, and an instance
 * id in its place (RFC 5340 §2.4, §4.2.2). What it says of MTUs differs from those of the interfaces where it was told another one.
 */
function ospfDifferences(world: World, ends: Ends<OspfInterface>, version: OspfVersion): readonly Difference[] {
  const [near, far] = ends;
  const hasKey = near.row.authentication !== undefined && near.row.authentication !== 'none';
  const isRefused = version === 2 && ends.some(({ end }) => hasLogged(world, 'ospf-authentication', end));
  const rows = [...world.views.values()].flatMap(({ state }) =>
    ospfRows(state, version).filter(({ passive }) => !passive),
  );
  const hasMask = version === 2 && ends.every(({ row }) => !/^POINT/i.test(row.network));
  return [
    ...differing(ends, 'authentication', ({ authentication }) => authentication),
    ...(hasKey && isRefused && near.row.authentication === far.row.authentication ? [passwords(ends)] : []),
    ...undecided(ends, rows, 'area', ({ area }) => area),
    ...undecided(ends, rows, 'timers', (row) => timersOf({ row })),
    ...differing(ends, 'network type', ({ network }) => network || undefined),
    ...(hasMask ? masks(world, ends) : []),
    ...(version === 3 ? differing(ends, 'instance id', ({ instanceId }) => numeral(instanceId)) : []),
    ...(version === 3 && areToldApart(world, ends) ? differing(ends, 'MTU', ({ mtu }) => numeral(mtu)) : []),
  ];
}

function numeral(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value}`;
}

/** The interfaces themselves have one MTU, and at least one end compares (RFC 5340 §4.2.2). */
function areToldApart(world: World, ends: Ends<OspfInterface>): boolean {
  const [mtu, other] = ends.map(({ end }) => interfaceOf(world, end)?.mtu);
  return mtu === other && ends.some(({ row }) => row.mtuIgnored !== true);
}

function timersOf({ row: { helloMs = 0, deadMs = 0 } }: { readonly row: OspfInterface }): string {
  return `${helloMs}/${deadMs} ms`;
}

function masks(world: World, ends: Ends<OspfInterface>): readonly Difference[] {
  const lengths = ends.map(({ end }) => prefixLength(world, end));
  if (lengths.includes(undefined) || lengths[0] === lengths[1]) return [];
  const words = ends.map(({ end }, index) => `${nodeRef(end.node)} ${end.ifname} has /${lengths[index]}`);
  return [{ words: words.join(', '), odd: [] }];
}

/** Of its first IPv4 address. */
function prefixLength(world: World, end: LinkEnd): string | undefined {
  return interfaceOf(world, end)
    ?.addresses.find((address) => !address.includes(':'))
    ?.split('/')[1];
}

function passwords(ends: readonly { readonly end: LinkEnd }[]): Difference {
  const words = ends.map(({ end }) => `${nodeRef(end.node)} ${end.ifname}`).join(' and ');
  return { words: `${words} have passwords that differ: packets are refused`, odd: [], confidence: 'likely' };
}

/** A property that both ends report and that is another at each. */
function differing<Row>(
  ends: Ends<Row>,
  name: string,
  property: (row: Row) => string | undefined,
): readonly Difference[] {
  const [one, other] = ends.map(({ row }) => property(row));
  if (one === undefined || other === undefined || one === other) return [];
  const words = ends.map(({ end }, index) => `${nodeRef(end.node)} ${end.ifname}: ${name} ${[one, other][index]}`);
  return [{ words: words.join(', '), odd: oddNodes(ends, property) }];
}

/** One that a fault of its own names wherever the network has a usual value, which one of the two ends has. */
function undecided<Row>(
  ends: Ends<Row>,
  all: readonly Row[],
  name: string,
  property: (row: Row) => string,
): readonly Difference[] {
  const usual = majority(all.map(property));
  const isDecided = ends.filter(({ row }) => property(row) !== usual).length === 1;
  return isDecided ? [] : differing(ends, name, property);
}

function mismatchOf<Row>(
  protocol: Mismatch['protocol'],
  world: World,
  symptom: Symptom,
  ends: Ends<Row>,
  [first, ...rest]: readonly Difference[],
  settings: readonly (readonly [string, (end: IgpEnd<Row>) => string])[],
): readonly Mismatch[] {
  if (first === undefined || ends.some(({ end }) => interfaceOf(world, end)?.operUp === false)) return [];
  const [near, far] = ends.map(({ node, end }) => ({ node, resource: interfaceResource(end) }));
  const sideBySide = settings.map(([name, say]) => `${name}: ${ends.map(say).join(' / ')}`);
  return [{ protocol, ends: [near!, far!], differences: [first, ...rest], sideBySide, symptoms: [symptom] }];
}
