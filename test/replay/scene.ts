// A small case with a diagnosis that nothing was diagnosed for: for tests of comparing and translating.
import type { EvidenceKind } from '#model/call.ts';
import type { Diagnosis } from '#model/finding.ts';
import type { ReplayCase } from '../../scripts/replay/replay-case.ts';

export const DIAGNOSIS: Diagnosis = {
  verdict: { kind: 'fault', reasons: ['PE-1 eth1 is shut', 'not proven: P-2 gave no state'] },
  findings: [
    {
      ...{ resource: 'interface/pe1/eth1', fault: 'link_down', confidence: 'certain' },
      evidence: ['before/pe1/parley-node-state', 'after/pe1/parley-node-state'],
      against: [],
      details: { changes: 2, how: 'shut', line: 'interface eth1 is shut' },
      hypothesis: 'PE-1 eth1 is shut',
      remedy: {
        ...{ summary: 'open it again', node: 'pe1', command: 'ip link set eth1 up' },
        change: { live: [{ kind: 'link-up', ifname: 'eth1' }], lines: ['interface eth1', ' no shutdown'] },
      },
    },
    {
      ...{ resource: 'node/p2', fault: 'blackhole_route', confidence: 'likely', evidence: ['probe/pe1/parley-knock'] },
      ...{ against: [], details: {}, hypothesis: 'P-2 drops 192.0.2.0/24' },
    },
  ],
  candidates: [
    { resource: 'interface/pe1/eth1', fault: 'link_down', source: 'rule', chosen: true, why: 'explains down' },
    {
      ...{ resource: 'node/p3', fault: 'daemon_down', source: 'rule', chosen: false },
      why: 'explains less; against it: probe/pe1/parley-knock, after/pe1/parley-node-state',
    },
  ],
  segments: [{ from: 'pe1', to: 'p2', probesSent: 200, probesLost: 7, lossPercent: 3.5 }],
  links: [
    {
      ...{ from: { node: 'pe1', ifname: 'eth1' }, to: { node: 'p2', ifname: 'eth0' }, confidence: 'confirmed' },
      ...{ signs: ['addresses', 'lldp'], claims: [], contradictions: [] },
    },
  ],
  clues: [{ kind: 'down', at: ['interface/pe1/eth1'], values: { changes: 2 } }],
  sentence: 'eth1 of PE-1 is shut.',
  hypothesis: 'PE-1 eth1 is shut; P-2 drops 192.0.2.0/24',
};

export const CASE: ReplayCase = {
  ...{ id: 'abcd', creator: 'pe1', nodeNames: ['pe1', 'p2'], lacking: [], expected: DIAGNOSIS },
  intent: { kind: 'fault', text: 'What is wrong?', path: [], encapsulation: 'ip' },
  outcomes: ['before/pe1/parley-node-state', 'probe/pe1/parley-knock', 'after/pe1/parley-node-state'].map((callId) => ({
    ...{ callId, node: 'pe1', phase: callId.split('/')[0] as 'before' | 'probe' | 'after', elapsedMs: 3 },
    ...{ name: callId.split('/')[2]!, status: 'answered' },
  })),
  evidence: [
    {
      ...{ id: 'probe/pe1/parley-knock', node: 'pe1', kind: 'knock' as EvidenceKind, phase: 'probe' },
      request: {
        method: 'tools/call',
        params: {
          name: 'parley-knock',
          arguments: { knocks: [{ destination: '192.0.2.9', service: 'echo' }], knock: 'knock' },
        },
      },
      body: { results: [{ destination: '192.0.2.9', service: 'echo', answered: true }] },
    },
  ],
};
