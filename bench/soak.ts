// `npm run bench -- soak --json [--minutes 90] [--certificate-minutes 10] [--prefix P] [--seed S]`: mixed load on three real routers with agent and
// helpers whose certificates renew themselves, and how much memory, how many descriptors and threads their processes hold meanwhile. Growth is
// counted after the first third, in which caches and heaps fill.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type RunningLab, upLab } from '../simulations/lab/network-lab.ts';
import { mulberry32 } from '../simulations/lab/node-files.ts';
import { pathInNode } from '../simulations/lab/node-processes.ts';
import { pause } from '../simulations/lab/wait.ts';
import type { Benchmark } from './main.ts';
import { newCounts, putLoad, untilPeersAreKnown } from './soak/load.ts';
import { type Growth, growthOf, heldIn, type Sample } from './soak/resident.ts';

export const SOAK_TOPOLOGY = join(import.meta.dirname, '../simulations/topologies/srv6-three.clab.yml');
/** Each is renewed by the other. */
const REGISTRARS = ['pe1', 'p2'];
const SAMPLE_MS = 10_000;
/** Of each process after the first third. */
const MOST_GROWN_MB = 3;
/** Sessions come and go: what is above this is a leak. */
const MOST_MORE_DESCRIPTORS = 8;

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean' },
      minutes: { type: 'string', default: '90' },
      prefix: { type: 'string', default: 'so' },
      seed: { type: 'string', default: '1' },
      'certificate-minutes': { type: 'string', default: '10' },
    },
  });
  const minutes = Number(values.minutes);
  const lab = await upLab({
    topologyFile: SOAK_TOPOLOGY,
    name: `soak-${values.prefix}`,
    prefix: values.prefix,
    configuration: true,
    certificates: { lifetimeMs: Number(values['certificate-minutes']) * 60_000, registrars: REGISTRARS },
    say,
  });
  try {
    await untilPeersAreKnown(lab.record.nodes);
    return { minutes, seed: Number(values.seed), ...(await soak(lab, minutes * 60_000, Number(values.seed), say)) };
  } finally {
    await lab.down();
  }
};

async function soak(lab: RunningLab, forMs: number, seed: number, say: (line: string) => void) {
  const began = performance.now();
  const atMs = () => performance.now() - began;
  const counts = newCounts();
  const goesOn = () => atMs() < forMs;
  const loads = lab.record.nodes.map((node, index) =>
    putLoad(node, { changes: index === 0, random: mulberry32(seed * 100 + index), counts, goesOn }),
  );
  const samples: Sample[] = [];
  const certificates = new Map(lab.record.nodes.map((node) => [node.name, new Set<string>()]));
  const watched = (async () => {
    for (let turn = 0; goesOn(); turn++) {
      for (const node of lab.record.nodes) {
        for (const held of heldIn(node)) samples.push({ ...held, atMs: atMs() });
        certificates.get(node.name)!.add(readFileSync(pathInNode(node, '/etc/parley/identity/chain.pem'), 'utf8'));
      }
      if (turn % 30 === 0)
        say(
          `${Math.round(atMs() / 60_000)} min: ${counts.answered} answered, ${counts.refused} refused, ${counts.lost} lost`,
        );
      await pause(SAMPLE_MS);
    }
  })();
  await Promise.all([...loads, watched]);
  const processes = growthOf(samples.filter((sample) => sample.atMs >= forMs / 3));
  const { reasons, ...counted } = counts;
  return {
    ...counted,
    renewals: Object.fromEntries([...certificates].map(([name, seen]) => [name, seen.size - 1])),
    reasons: Object.fromEntries(reasons),
    processes,
    beyond: processes.filter(isBeyond).map((each) => each.process),
  };
}

function isBeyond({ grownMb, descriptors, threads, restarted }: Growth): boolean {
  const moreDescriptors = descriptors.last - descriptors.first;
  return (
    grownMb >= MOST_GROWN_MB || moreDescriptors > MOST_MORE_DESCRIPTORS || threads.last > threads.first || restarted
  );
}
