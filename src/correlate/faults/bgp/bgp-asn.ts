// bgp_asn_misconfig: a node runs under an AS number that none of its neighbours expects, and all expect the same other one; and
// bgp_neighbor_misconfig: a node expects a wrong AS number of one neighbour, whose other sessions say which is right.
import { interfaceResource, nodeResource } from '#model/names.ts';
import { frrChange, inBgp } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { ownEnd, sourcesOf } from '../../network/world.ts';
import { isUp, type SessionEnds, sessionsOf } from './session-symptoms.ts';

export const bgpAsnMisconfig: FaultDefinition = {
  id: 'bgp_asn_misconfig',
  resource: 'node',
  accuses: true,
  labels: { nika: 'bgp_asn_misconfig', netOpsBench: null },
  summary: 'a node runs BGP under a wrong AS number of its own: all its neighbours expect another',
  propose: (file) =>
    [...file.world.views.values()].flatMap(({ node, state }) => {
      const asn = state.bgp?.asn;
      const towards = expectations(file, node);
      const expected = new Set(towards.map(({ row }) => row.remoteAs));
      if (expected.has(ANY_AS) || presents(file, node).some((each) => expected.has(each))) return [];
      if (asn === undefined || towards.length === 0 || expected.size !== 1 || expected.has(asn)) return [];
      // Whoever has a session with it, in scope or not, expects the number that it runs under.
      if (state.bgp?.sessions.some(isUp)) return [];
      const neighbours = new Set(towards.map((each) => each.node));
      const mine = symptomsOf(file, (near, far) => near === node || far === node);
      return [
        newProposal(
          bgpAsnMisconfig,
          nodeResource(node),
          mine.map(shareOf),
          sourcesOf(file.world, node, ...neighbours),
          {
            score: neighbours.size >= 2 ? 4 : 3,
            details: { own: asn, expected: [...expected][0]!, by: [...neighbours].map(mark) },
            remedy: {
              node,
              summary: `${mark(node)} runs AS ${asn}, its neighbours expect ${[...expected][0]}`,
              command: `router bgp ${[...expected][0]}`,
              decide: 'a process under another number is a new one: all of it must be configured again',
            },
          },
        ),
      ];
    }),
};

export const bgpNeighborMisconfig: FaultDefinition = {
  id: 'bgp_neighbor_misconfig',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: 'bgp_neighbor_misconfig' },
  summary: 'a node expects a wrong AS number of one BGP neighbour; the resource is its interface towards it',
  exact: '`neighbor … remote-as` with the number that the neighbour runs under',
  propose: (file) =>
    sessionsOf(file.world).flatMap((session) => {
      const { near, far, link } = session;
      // The number that it presents to this neighbour, which `local-as` may make another than its own.
      const actual =
        far === undefined ? undefined : (far.row?.localAs ?? file.world.views.get(far.node)?.state.bgp?.asn);
      if (far === undefined || actual === undefined || near.row.remoteAs === actual || isUp(near.row)) return [];
      if (near.row.shutdown || far.row?.shutdown === true || near.row.remoteAs === ANY_AS) return [];
      const right = expectations(file, far.node).filter(
        (each) => each.node !== near.node && each.row.remoteAs === actual,
      );
      const others = expectations(file, far.node).filter((each) => each.node !== near.node);
      if (others.length > 0 && right.length === 0) return [];
      const mine = symptomsOf(
        file,
        (one, other) => (one === near.node && other === far.node) || (one === far.node && other === near.node),
      );
      const resource = link === undefined ? nodeResource(near.node) : interfaceResource(ownEnd(link, near.node));
      return [
        newProposal(bgpNeighborMisconfig, resource, mine.map(shareOf), sourcesOf(file.world, near.node, far.node), {
          details: { expects: near.row.remoteAs, is: actual, neighbour: mark(far.node), peer: near.row.peer },
          remedy: {
            node: near.node,
            summary: `${mark(near.node)} expects AS ${near.row.remoteAs} of ${mark(far.node)}, which runs ${actual}`,
            command: `neighbor ${near.row.peer} remote-as ${actual}`,
            ...frrChange(
              file.world,
              near.node,
              inBgp(ownAs(file, near.node), `neighbor ${near.row.peer} remote-as ${actual}`),
            ),
          },
        }),
      ];
    }),
};

/** The number that the process is configured under. */
function ownAs(file: CaseFile, node: string): number {
  return file.world.views.get(node)?.state.bgp?.asn ?? 0;
}

/** `remote-as external` and `internal` are told as 0 until an OPEN has come. */
const ANY_AS = 0;

/** Numbers that a node presents to its neighbours (`local-as`). */
function presents(file: CaseFile, node: string): readonly number[] {
  return (file.world.views.get(node)?.state.bgp?.sessions ?? []).map(({ localAs }) => localAs);
}

/** What neighbours expect the AS number of `node` to be. */
function expectations(file: CaseFile, node: string): readonly SessionEnds['near'][] {
  return sessionsOf(file.world)
    .filter(({ far }) => far?.node === node)
    .map(({ near }) => near);
}

function symptomsOf(file: CaseFile, concerns: (near: string, far: string | undefined) => boolean): readonly Symptom[] {
  return file.symptoms.filter((symptom) => symptom.kind === 'bgp' && concerns(symptom.nodes[0]!, symptom.nodes[1]));
}
