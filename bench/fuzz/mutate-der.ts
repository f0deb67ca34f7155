// Changes DER as a tree and writes the lengths anew, so that what is changed deep inside is still reached.
import { joined, MOST_BYTES, mutateBytes } from './mutate-bytes.ts';
import type { Random } from './random.ts';

type Tree = { tag: number; content: Uint8Array; below: Tree[] | undefined };

const TAGS = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x13, 0x16, 0x17, 0x18, 0x1e, 0x30, 0x31, 0x80, 0x82, 0x86, 0x87, 0xa0,
  0xa3,
];
const MOST_DEPTH = 30;

export function mutateDer(input: Uint8Array, random: Random, others: readonly Uint8Array[]): Uint8Array {
  const tree = random() < 0.15 ? undefined : read(input, 0);
  if (tree === undefined) return mutateBytes(input, random, others);
  for (let count = 1 + random.below(3); count > 0; count--) change(tree, random, others);
  // Copies of copies would be megabytes, written anew at each depth: parsers refuse them by their length alone.
  if (sizeOf(tree) > MOST_BYTES) return mutateBytes(input, random, others);
  const bytes = joined(...tree.map(write)).subarray(0, MOST_BYTES);
  return random() < 0.1 ? mutateBytes(bytes, random, others) : bytes;
}

function change(list: Tree[], random: Random, others: readonly Uint8Array[]): void {
  if (list.length === 0) return;
  const at = random.below(list.length);
  const node = list[at]!;
  if (node.below !== undefined && random() < 0.8) {
    change(node.below, random, others);
    return;
  }
  switch (random.below(7)) {
    case 0:
      node.tag = random.pick(TAGS);
      return;
    case 1:
      list.splice(at, 1);
      return;
    case 2:
      list.splice(at, 0, ...Array.from({ length: 1 + random.below(random() < 0.95 ? 3 : 300) }, () => node));
      return;
    case 3:
      list.push(...(read(random.pick(others), 0) ?? []).slice(0, 3));
      return;
    case 4: {
      // Deep nesting of one element in itself.
      let inner = node;
      for (let depth = random.below(200); depth > 0; depth--)
        inner = { tag: 0x30, content: new Uint8Array(), below: [inner] };
      list[at] = inner;
      return;
    }
    default:
      if (node.below === undefined) node.content = mutateBytes(node.content, random, others);
      else list.splice(at, 1, ...node.below);
  }
}

/** Undefined where the octets are no row of elements. Octet strings that hold elements are opened too: extensions are. */
function read(bytes: Uint8Array, depth: number): Tree[] | undefined {
  const list: Tree[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first = 0] = [bytes[at], bytes[at + 1]];
    const longBytes = first < 0x80 ? 0 : first & 0x7f;
    if (at + 2 + longBytes > bytes.length || longBytes > 4 || first === 0x80) return undefined;
    let length = first < 0x80 ? first : 0;
    for (let index = 0; index < longBytes; index++) length = length * 256 + bytes[at + 2 + index]!;
    const from = at + 2 + longBytes;
    if (from + length > bytes.length) return undefined;
    const content = bytes.subarray(from, from + length);
    const isNested = (tag & 0x20) !== 0 || tag === 0x04;
    const below = isNested && content.length > 0 && depth < MOST_DEPTH ? read(content, depth + 1) : undefined;
    list.push({ tag, content, below });
    at = from + length;
  }
  return list;
}

/** At least: how many octets say a length is left out. */
function sizeOf(list: readonly Tree[]): number {
  let size = 0;
  for (const { content, below } of list) {
    size += 2 + (below === undefined ? content.length : sizeOf(below));
    if (size > MOST_BYTES) break;
  }
  return size;
}

function write({ tag, content, below }: Tree): Uint8Array {
  const inside = below === undefined ? content : joined(...below.map(write));
  const { length } = inside;
  if (length < 0x80) return joined(Uint8Array.of(tag, length), inside);
  if (length < 0x100) return joined(Uint8Array.of(tag, 0x81, length), inside);
  if (length < 0x10000) return joined(Uint8Array.of(tag, 0x82, length >> 8, length & 0xff), inside);
  return joined(Uint8Array.of(tag, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff), inside);
}
