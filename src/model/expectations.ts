// What was said once, so that no answer accuses what is meant: the asked node's own file and those of the nodes concerned, and the time
// by which their ends and windows are judged. Kept in the report: a replay gives the same answer.
import { parsePrefix } from '#base/ip.ts';
import type { ResourceId } from './names.ts';
import type { ExpectationLine } from './router/expectations.ts';

/** What an asked node adds to the evidence. */
export type Said = {
  /** The asked node. */
  readonly node: string;
  /** Its own clock when it judged, RFC 3339: no other clock is compared with it. */
  readonly at: string;
  /** Of its own file; those of other nodes are in their states. */
  readonly lines: readonly ExpectationLine[];
};

/** A finding that a line covers, and whose line that is. */
export type Silenced = {
  readonly fault: string;
  readonly resource: ResourceId;
  readonly by: 'allow' | 'maintenance';
  /** Whose file the line is in. */
  readonly node: string;
  readonly owner: string;
  readonly reason: string;
  /** RFC 3339. */
  readonly until: string;
  /** All of it for people. */
  readonly text: string;
};

/** What the file of a node says now; `refused`: why it is not applied. */
export type ToldExpectations = { readonly lines: readonly ExpectationLine[]; readonly refused?: string };

/** The file of one node, as its operators wrote it. */
export type ExpectationsFile = {
  readonly schemaVersion: typeof EXPECTATIONS_SCHEMA_VERSION;
  readonly node: string;
  /** RFC 3339. */
  readonly saved: string;
  /** The operator who saved it. */
  readonly by: string;
  /** YAML, with the operators' own comments. */
  readonly text: string;
};

export const EXPECTATIONS_SCHEMA_VERSION = 1;

/** Where a node keeps its file. */
export type ExpectationsStore = {
  /** What is kept and verifies; the reason of what does not. */
  load(): Promise<{ readonly file?: ExpectationsFile; readonly refused?: string }>;
  save(file: ExpectationsFile): Promise<void>;
  clear(): Promise<void>;
};

/** The address by which a prefix is looked up: of IPv4 its first host, as a network's own address is the broadcast address of its router. */
export function addressIn(prefix: string): string {
  const parsed = parsePrefix(prefix);
  const [address = ''] = prefix.split('/');
  if (parsed === undefined || parsed.family === 6 || parsed.prefixBits > 30) return address;
  const hostBits = 32n - BigInt(parsed.prefixBits);
  const first = ((parsed.value >> hostBits) << hostBits) + 1n;
  return [24n, 16n, 8n, 0n].map((shift) => (first >> shift) & 255n).join('.');
}
