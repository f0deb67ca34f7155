// Words that the program has changed since a report was made, applied to the expected diagnosis before the comparison. For words alone:
// no number or node name belongs here, and a fault's id only as it once stood in sentences. Applied in the order of the table.
import { FAULT_DEFINITIONS } from '#correlate/faults/registry.ts';
import { faultWords } from '#correlate/text/hypothesis.ts';

/** Old text, or pattern with the flag `g`, and the text that stands for it now. */
export type WordChange = readonly [was: string | RegExp, is: string];

/** Ids of faults stood in sentences as they are written, without their underscores. */
const FAULT_WORDS = FAULT_DEFINITIONS.map(({ id }) => id)
  .sort((one, other) => other.length - one.length)
  .map((id): WordChange => [new RegExp(`\\b${id.replaceAll('_', ' ')}\\b`, 'g'), faultWords(id)]);

export const WORDS: readonly WordChange[] = [
  ...FAULT_WORDS,
  // References to hosts, which once stayed as they were.
  [/\{([a-z0-9._-]+)\}/g, '$1'],
  ['parley-stations', 'parley-host-scan'],
  ['parley-knock', 'parley-service-probe'],
  [/\bstation:/g, 'host:'],
  ['within what two readings can tell apart', 'within measurement error'],
  ['cable, optics and whatever lies between', 'cable and optics between'],
  ['which answers nobody; one that does is', 'which answers no query; one that does is'],
  ['which nobody there is; its own is', 'which no device there has; its own is'],
  ['changed the priority mark (', 'changed the DSCP ('],
  ['that changes priority marks', 'that changes the DSCP'],
  ['but accuses nobody', 'but accuses no node'],
  ['whoever set it must take it away', 'the operator or program that set it must remove it'],
  ['nobody is known to miss them, so it may be meant', 'no host is known to miss them, so it may be intended'],
  ['and no route of its own leads there', 'and beside SRv6 no route leads there'],
  ['whose agent is silent', 'whose agent gives no state'],
  [/somebody \((\S+)\) on (\S+), who was/g, 'a device ($1) on $2, which was'],
  ['seen at one look alone, and no loop confirms it', 'seen by one measurement only, and no loop probe confirms it'],
  // The place of a fault comes first, and what was checked after it.
  [
    /Found on (\d+ nodes? and \d+ links?): (.*?)((?:; not accused, as meant: \d+ findings?)?(?:; part of it is under maintenance)?)\.$/g,
    '$2 ($1 checked)$3.',
  ],
  [/Inconclusive on (\d+ nodes? and \d+ links?):/g, 'Inconclusive, $1 checked:'],
  [
    /Packet loss 100 % between (\S+) and (\S+) \((\d+) probes\)\./g,
    '$1 and $2 do not reach each other: all $3 probes were lost.',
  ],
  [/Packet loss ([\d.]+) % between (\S+) and (\S+) \(/g, '$2 and $3 reach each other, packet loss $1 % ('],
  [/(\d+) probe packets in both directions and the counters/g, 'all $1 probes and answers arrived, and the counters'],
  [/(\d+) sent, \1 received, within measurement error/g, '$1 sent, $1 received'],
  [/remembers the last ([^;]+) alone/g, 'remembers only the last $1'],
  // Remedies and findings in an engineer's words.
  [
    / asks (\S+) for names, which serves none; one that does is/g,
    ' sends its DNS queries to $1, which answers none; a name server that does is',
  ],
  ['which answers no query; one that does is', 'which answers no query; a name server that does is'],
  [
    /takes (\d+) ms and more to answer, and (\d+) ms at most for an echo/g,
    'takes $1 ms or more to answer, and at most $2 ms to answer an echo',
  ],
  [/see what lies between (.+?): it holds packets back/g, 'check what lies between $1: it delays packets'],
  [
    /\bsee what (is wrong with the agent|limits the rate|the name server waits for|\S+ does to packets)/g,
    'find out what $1',
  ],
  ['forwards: its filter rules first', 'forwards: check its filter rules first'],
  [/delete the entry of (\S+) on/g, 'delete the neighbour entry of $1 on'],
  [/(\S+) should speak as its neighbours do/g, 'configure $1 as its neighbours are'],
  [/take the (\S+ route|route) for (.+?) off ([^\s(;"]+)/g, 'remove the $1 for $2 from $3'],
  [/take (\S+) off that host/g, 'remove $1 from that host'],
  [' lives and no longer has', ' is alive and no longer has'],
  [/make SID (\S+) on (\S+) again/g, 'restore SID $1 on $2'],
  [/announce the locator of SID (\S+) on (\S+) again/g, 'announce the locator of SID $1 again from $2'],
  [/steer (\S+) of (\S+) to a SID/g, 'steer $1 on $2 to a SID'],
  [/switch (IS-IS|OSPF) on at/g, 'enable $1 on'],
  [/start (\S+(?:, \S+)*) on (\S+) again/g, 'restart $1 on $2'],
  [/or spread what is sent through it/g, 'or spread the traffic that leaves over it'],
];

/** Members of a finding's details that told faults of one family apart, or put the finding into words: the fault's id and its sentence do now. */
export const REPLACED_DETAILS: ReadonlySet<string> = new Set(['how', 'what', 'refused', 'router']);

/** Names of members of a finding's details and of a clue's values. */
export const DETAIL_MEMBERS: Readonly<Record<string, string>> = {};

export function reworded(text: string, changes: readonly WordChange[]): string {
  return changes.reduce((told, [was, is]) => told.replaceAll(was, is), text);
}
