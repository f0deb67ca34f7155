// FRR's configuration text as blocks. Pure: reads what `show running-config` prints and prints it back; two texts are the
// same configuration when they hold the same lines in the same blocks, whatever their order.
import { createHash } from 'node:crypto';

/** A line at the top level with the lines below it, which keep their indentation. */
export type Block = { readonly head: string; readonly lines: readonly string[] };

/** What `show running-config` prints around the configuration. */
const HEADER = /^(Building configuration\.\.\.|Current configuration:|end|exit|!.*|)$/;

export function parseBlocks(text: string): readonly Block[] {
  const blocks: { head: string; lines: string[] }[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trimEnd();
    if (HEADER.test(line.trimStart())) continue;
    if (line.startsWith(' ') && blocks.length > 0) blocks.at(-1)!.lines.push(line);
    else blocks.push({ head: line.trimStart(), lines: [] });
  }
  return blocks;
}

/** The text that FRR's own programs read; blocks end with `exit`. */
export function formatBlocks(blocks: readonly Block[]): string {
  return blocks
    .flatMap(({ head, lines }) => (opensBlock(head) ? [head, ...lines, 'exit', '!'] : [head]))
    .concat('')
    .join('\n');
}

/** Heads that open a block also when nothing stands below them. */
function opensBlock(head: string): boolean {
  return /^(interface|router|vrf|route-map|key chain|bfd|segment-routing|line|rpki|pw|l2vpn|mpls ldp|bmp) ?/.test(head);
}

/** SHA-256 over the configuration that a text stands for; empty interface blocks say nothing. */
export function fingerprint(text: string): string {
  const blocks = parseBlocks(text)
    .filter(({ head, lines }) => lines.length > 0 || !head.startsWith('interface '))
    .map(({ head, lines }) => [head, ...lines.map((line) => line.trim()).toSorted()].join('\n'));
  return createHash('sha256').update(blocks.toSorted().join('\n\n')).digest('hex');
}

export type ChangedLine = { readonly sign: '+' | '-'; readonly context: string; readonly line: string };

/** Lines that only one of the two holds; `context` is empty at the top level. */
export function differenceOf(before: string, after: string): readonly ChangedLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const only = (from: readonly Located[], other: readonly Located[], sign: '+' | '-'): ChangedLine[] => {
    const keys = new Set(other.map(keyOf));
    return from.filter((entry) => !keys.has(keyOf(entry))).map((entry) => ({ sign, ...entry }));
  };
  return [...only(old, fresh, '-'), ...only(fresh, old, '+')];
}

type Located = { readonly context: string; readonly line: string };

function keyOf({ context, line }: Located): string {
  return `${context}\n${line}`;
}

function linesOf(text: string): readonly Located[] {
  return parseBlocks(text).flatMap(({ head, lines }) =>
    lines.length === 0 ? [{ context: '', line: head }] : lines.map((line) => ({ context: head, line: line.trim() })),
  );
}

/**
 * The first interface with lines in `after` that had none in `before` and is not among `present`. FRR takes such lines and makes no interface: it
 * would keep them for one that no packet can use, and can neither undo nor delete some of them.
 */
export function missingInterface(before: string, after: string, present: ReadonlySet<string>): string | undefined {
  const known = new Set(configured(before));
  return configured(after).find((name) => !known.has(name) && !present.has(name));
}

function configured(text: string): readonly string[] {
  return parseBlocks(text).flatMap(({ head, lines }) => {
    const name = /^interface (\S+)$/.exec(head)?.[1];
    return name === undefined || lines.length === 0 ? [] : [name];
  });
}
