// A small assembler for classic BPF (bpf(4), linux/filter.h): instructions by name and jumps to labels. It refuses what the kernel would
// refuse or misread: an unknown or doubled label, a jump backwards, a jump farther than its octet can say.

/** As the kernel takes it: code, jump if true, jump if false, constant. */
export type BpfProgram = readonly (readonly [code: number, ifTrue: number, ifFalse: number, constant: number])[];

/** Where to go on when a condition holds (`yes`) or does not (`no`); left out: with the next instruction. */
export type BpfJumps = { readonly yes?: string; readonly no?: string };

type BpfInstruction = { readonly code: number; readonly constant: number; readonly jumps?: BpfJumps };
export type BpfLine = { readonly label: string } | BpfInstruction;

/** The most that a jump can pass over: its distance is one octet. */
const LONGEST_JUMP = 255;

export function label(name: string): BpfLine {
  return { label: name };
}

/** A ← 16 bits at `offset`. */
export function loadHalf(offset: number): BpfLine {
  return { code: 0x28, constant: offset };
}

/** A ← octet at `offset`. */
export function loadByte(offset: number): BpfLine {
  return { code: 0x30, constant: offset };
}

/** X ← length of the IPv4 header whose first octet is at `offset`. */
export function loadHeaderLength(offset: number): BpfLine {
  return { code: 0xb1, constant: offset };
}

/** A ← 16 bits at X + `offset`. */
export function loadHalfAfter(offset: number): BpfLine {
  return { code: 0x48, constant: offset };
}

/** A ← octet at X + `offset`. */
export function loadByteAfter(offset: number): BpfLine {
  return { code: 0x50, constant: offset };
}

/** A ← A and `mask`. */
export function and(mask: number): BpfLine {
  return { code: 0x54, constant: mask };
}

/** A ← A + `constant`. */
export function add(constant: number): BpfLine {
  return { code: 0x04, constant };
}

/** A ← A moved up by so many bits. */
export function shiftLeft(bits: number): BpfLine {
  return { code: 0x64, constant: bits };
}

/** X ← `constant`. */
export function setX(constant: number): BpfLine {
  return { code: 0x01, constant };
}

/** X ← A. */
export const copyToX: BpfLine = { code: 0x07, constant: 0 };

export function ifEqual(constant: number, jumps: BpfJumps): BpfLine {
  return { code: 0x15, constant, jumps };
}

export function ifGreater(constant: number, jumps: BpfJumps): BpfLine {
  return { code: 0x25, constant, jumps };
}

export function ifAtLeast(constant: number, jumps: BpfJumps): BpfLine {
  return { code: 0x35, constant, jumps };
}

/** Holds when A and `mask` have a bit in common. */
export function ifAnySet(mask: number, jumps: BpfJumps): BpfLine {
  return { code: 0x45, constant: mask, jumps };
}

/** Ends the program and hands over so many octets of the packet; 0 drops it. */
export function accept(octets: number): BpfLine {
  return { code: 0x06, constant: octets };
}

export const DROP: BpfLine = accept(0);

/** Throws RangeError for a program that cannot be: that is a mistake in the source, never input. */
export function assemble(lines: readonly BpfLine[]): BpfProgram {
  const places = new Map<string, number>();
  let count = 0;
  for (const line of lines) {
    if (!('label' in line)) count += 1;
    else if (places.has(line.label)) throw new RangeError(`expected each label once, got ${line.label} again`);
    else places.set(line.label, count);
  }
  const instructions = lines.filter((line): line is BpfInstruction => !('label' in line));
  return instructions.map(({ code, constant, jumps = {} }, place) => [
    code,
    distance(places, place, count, jumps.yes),
    distance(places, place, count, jumps.no),
    constant,
  ]);
}

function distance(places: ReadonlyMap<string, number>, from: number, count: number, to: string | undefined): number {
  if (to === undefined) return 0;
  const place = places.get(to);
  if (place === undefined) throw new RangeError(`expected a label of this program, got ${to}`);
  const passed = place - from - 1;
  if (passed < 0 || passed > LONGEST_JUMP || place >= count)
    throw new RangeError(`expected a jump forward over at most ${LONGEST_JUMP} instructions, got ${passed} to ${to}`);
  return passed;
}
