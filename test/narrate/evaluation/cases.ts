// Recorded diagnoses that every model is tried on: exchanges recorded on FRR routers, and exchanges along a path. `good` is what a
// model that reads the evidence rightly answers about it, recorded by hand; none where there is nothing to name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import type { Diagnosis, VerdictKind } from '#model/finding.ts';
import { exchange, type Scene } from '../../correlate/builder.ts';
import { withheldSince } from '../../correlate/ring.ts';

export type Case = {
  readonly name: string;
  readonly input: DiagnoseInput;
  readonly diagnosis: Diagnosis;
  readonly verdict: VerdictKind;
  readonly good?: { readonly resource: string; readonly fault: string };
};

const FOLDER = join(import.meta.dirname, '../../correlate/recorded');

type Row = readonly [name: string, verdict: VerdictKind, good?: readonly [resource: string, fault: string]];

const RECORDED: readonly Row[] = [
  ['healthy', 'healthy'],
  ['arp', 'fault', ['node/r2', 'arp_cache_poisoning']],
  ['bgpasn', 'fault', ['node/r2', 'bgp_asn_misconfig']],
  ['bgpnbr', 'fault', ['interface/r1/eth1', 'bgp_neighbor_misconfig']],
  ['blackhole', 'fault', ['node/r2', 'blackhole_route']],
  ['frr', 'fault', ['node/r3', 'frr_service_down']],
  ['isispw', 'fault', ['interface/r3/eth1', 'isis_authentication_mismatch']],
  ['mtu', 'fault', ['interface/r3/eth1', 'mtu_mismatch']],
  ['policy', 'fault', ['node/r3', 'route_policy_misconfig']],
];

const NODES = ['pe1', 'p2', 'pe3'];
const acl: Scene['filters'] = [
  { node: 'pe1', acl: 'acl-2001', hook: 'egress', ifname: 'eth1', drops: { share: 0.03, towards: 'p2' } },
];
const PATHS: readonly (readonly [...Row, scene: Partial<Scene>])[] = [
  ['path-healthy', 'healthy', undefined, {}],
  ['path-loss', 'fault', ['interface/pe1/eth1', 'packet_loss'], { loss: { 'pe1>p2': 0.03 } }],
  ['path-two-losses', 'fault', ['interface/p2/eth1', 'packet_loss'], { loss: { 'p2>pe3': 0.05, 'pe3>p2': 0.04 } }],
  ['path-acl', 'fault', ['node/pe1', 'acl_misconfig'], { filters: acl }],
  [
    'path-silent-node',
    'inconclusive',
    ['node/p2', 'acl_misconfig'],
    { loss: { 'pe1>p2': 0.05 }, unanswered: ['after/p2/parley-node-state'] },
  ],
];

/** A whole network of which one agent is silent: inconclusive. */
const SILENT = 'r2';

export function evaluationCases(): readonly Case[] {
  const healthy = recorded('healthy');
  const without = { ...healthy, evidence: healthy.evidence.filter(({ node }) => node !== SILENT) };
  return [
    ...RECORDED.map(([name, verdict, good]) => caseOf(name, verdict, good, recorded(name))),
    ...PATHS.map(([name, verdict, good, scene]) =>
      caseOf(name, verdict, good, exchange({ nodes: NODES, seed: 7, ...scene })),
    ),
    caseOf('silent-agent', 'inconclusive', undefined, without),
  ];
}

/** What a policy keeps back is a fault where it was announced before. */
export function recorded(name: string): DiagnoseInput {
  if (name === 'policy') return withheldSince();
  const { intent, nodes, outcomes, evidence } = JSON.parse(readFileSync(join(FOLDER, `${name}.json.txt`), 'utf8'));
  return { intent, nodeNames: nodes, outcomes, evidence };
}

function caseOf(name: string, verdict: VerdictKind, good: Row[2], input: DiagnoseInput): Case {
  const named = good === undefined ? {} : { good: { resource: good[0], fault: good[1] } };
  return { name, input, diagnosis: diagnose(input), verdict, ...named };
}
