// Words that the program has changed since a report was made, applied to the expected diagnosis before the comparison. For words alone:
// no fault id, number or node name belongs here. Applied in the order of the table.

/** Old text, or pattern with the flag `g`, and the text that stands for it now. */
export type WordChange = readonly [was: string | RegExp, is: string];

export const WORDS: readonly WordChange[] = [
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
];

/** Members of a finding's details that told faults of one family apart, or put the finding into words: the fault's id and its sentence do now. */
export const REPLACED_DETAILS: ReadonlySet<string> = new Set(['how', 'what', 'refused', 'router']);

/** Names of members of a finding's details and of a clue's values. */
export const DETAIL_MEMBERS: Readonly<Record<string, string>> = {};

export function reworded(text: string, changes: readonly WordChange[]): string {
  return changes.reduce((told, [was, is]) => told.replaceAll(was, is), text);
}
