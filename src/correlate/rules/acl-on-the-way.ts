// The part of acl_misconfig that needs no path: probes to an address die although every route is there, and a filter on their
// way that selects this address, or everything, dropped as many in the window.
import { nodeResource } from '#model/names.ts';
import { type CaseFile, factsOf } from '../facts.ts';
import { aclLabel } from '../sentence.ts';
import { mark } from '../spelling.ts';
import type { Trouble } from '../trouble.ts';
import { covers } from '../world.ts';
import { shareOf, simple, troublesOfKind } from './explain.ts';
import type { Proposal } from './rule.ts';

export function aclOnTheWay(file: CaseFile): readonly Proposal[] {
  return factsOf(file, 'filter-hits').flatMap((hits) => {
    const { node, packets = 0, selects = [], hook, acl } = hits.value;
    if (hits.value.family === 'arp') return [];
    const mine = troublesOfKind(file, 'reach').filter(
      (trouble) => meets(trouble, node, hook) && selected(trouble, selects),
    );
    const probes = mine.reduce((sum, trouble) => sum + Number(trouble.detail['sent'] ?? 0), 0);
    if (mine.length === 0 || packets === 0) return [];
    return [
      simple(
        { fault: 'acl_misconfig' },
        nodeResource(node),
        mine.map(shareOf),
        [...hits.source, ...mine.flatMap((trouble) => trouble.source)],
        {
          score: selects.some((words) => /addr/.test(words)) ? 3 : 2,
          details: { acl: aclLabel(acl), direction: hook, droppedPackets: packets, probesLost: probes, selects },
          remedy: { node, summary: `${aclLabel(acl)} of ${mark(node)} drops what it should forward` },
          ...(packets * 2 < probes / 2
            ? { withheld: `its counter moved by ${packets}, less than the probes lost` }
            : {}),
        },
      ),
    ];
  });
}

/** Forwarding filters stand on the way, input and output filters at its ends. */
function meets(trouble: Trouble, node: string, hook: string): boolean {
  const ends = [trouble.detail['from'], trouble.detail['owner']];
  if (hook === 'input' || hook === 'output') return ends.includes(node);
  return trouble.way?.nodes.includes(node) === true && (hook !== 'forward' || !ends.every((end) => end === node));
}

/** Our probes are UDP: a rule for another protocol or port cannot have dropped them. */
function selected(trouble: Trouble, selects: readonly string[]): boolean {
  return selects.some((words) =>
    words.split(' and ').every((part) => {
      const address = /^ip6? ([sd])addr (\S+)$/.exec(part);
      if (address !== null) {
        const target = String(trouble.detail[address[1] === 'd' ? 'destination' : 'source'] ?? '');
        return address[2]!.split(',').some((prefix) => target !== '' && covers(prefix, target));
      }
      return (
        part === '' ||
        /^(?:meta l4proto|ip protocol|ip6 nexthdr) (?:\S*,)?(?:udp|17)\b/.test(part) ||
        /^(?:udp|th) dport \S*\b9515\b/.test(part)
      );
    }),
  );
}
