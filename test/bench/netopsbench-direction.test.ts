// The sending end of a link that corrupts, from the finding that the rule itself makes: a recorded network in which one node's checksum
// counter rises while echoes to it are lost.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { placeOf, scoreNetOps } from '../../bench/diagnosis/netopsbench.ts';

type State = { nodeCounters?: Record<string, string> };
type Reach = { results: { received: number; sent: number }[] };

/** r1 tries its link to r2 first: echoes are spoiled on the way there, or their answers on the way back. */
function spoiled(receiver: string): DiagnoseInput {
  const file = join(import.meta.dirname, '../correlate/recorded/healthy.json.txt');
  const { intent, nodes, outcomes, evidence } = structuredClone(JSON.parse(readFileSync(file, 'utf8')));
  for (const entry of evidence) {
    const state = entry.body as State;
    if (entry.kind === 'state' && entry.node === receiver)
      state.nodeCounters = { ...state.nodeCounters, IpExtInCsumErrors: entry.phase === 'before' ? '0' : '400' };
    if (entry.id === 'probe/r1/parley-reach/links') {
      const [first] = (entry.body as Reach).results;
      first!.received = first!.sent / 2;
    }
  }
  return { intent, nodeNames: nodes, outcomes, evidence };
}

for (const [receiver, sender, port] of [
  ['r1', 'r2', 'eth1'],
  ['r2', 'r1', 'eth1'],
] as const)
  test(`a link that spoils what ${sender} sends is placed at ${sender}`, () => {
    const [finding] = diagnose(spoiled(receiver)).findings;
    assert.equal(finding?.resource, 'link/r1:eth1--r2:eth1');
    assert.deepEqual(placeOf(finding!), { device: sender, interface: port });
    const truth = {
      pairs: [{ resource: 'link/r1:eth1--r2:eth1', fault: 'link_packet_corruption' }],
      locations: [{ device: sender, interface: port }],
    };
    assert.equal(scoreNetOps('fault', [finding!], truth)?.score, 1);
  });
