// Feeds a stretch of numbered inputs to one parser, in this process: counts, times each, and makes small what breaks it.
import { messageOf } from '#base/error.ts';
import { mutateBytes } from './mutate-bytes.ts';
import type { OpenParser, Parser } from './parser.ts';
import { type Random, randomOf } from './random.ts';

export type Finding = {
  readonly parser: string;
  /** `threw`: an exception. `slow`: more than a second each time. `died`: the process ended, or stood still. */
  readonly kind: 'threw' | 'slow' | 'died';
  readonly index: number;
  readonly message: string;
  /** The smallest input found that still does it, base64; absent of a process that died. */
  readonly input?: string;
};

export type Stretch = {
  readonly parser: Parser;
  readonly seed: number;
  readonly from: number;
  readonly count: number;
  /** Called before input `index`, at least once in so many. */
  readonly every: number;
  readonly onPlace: (index: number) => void;
};

export type StretchResult = {
  readonly ran: number;
  /** Inputs that were read to their end as valid or not: those that broke the parser are in `findings`. */
  readonly slowestMs: number;
  readonly findings: readonly Finding[];
};

export const HANG_MS = 1_000;
const MOST_FINDINGS = 8;
/** Readings of a slow input. */
const SLOW_TRIES = 3;
const SHRINK_TRIES = 3_000;

export async function runStretch({ parser, seed, from, count, every, onPlace }: Stretch): Promise<StretchResult> {
  const opened = await parser.open();
  const findings = new Map<string, Finding>();
  let slowestMs = 0;
  try {
    for (const input of opened.corpus) await opened.read(input, randomOf(seed, -1));
    for (let index = from; index < from + count; index++) {
      if ((index - from) % every === 0) onPlace(index);
      const broken = await tryOne(opened, inputOf(opened, seed, index), () => randomOf(seed, index));
      slowestMs = Math.max(slowestMs, broken.tookMs);
      if (broken.kind === undefined || findings.has(broken.kind + broken.message)) continue;
      const { kind, message } = broken;
      const small = await shrink(opened, inputOf(opened, seed, index), {
        kind,
        message,
        random: () => randomOf(seed, index),
      });
      findings.set(kind + message, {
        parser: parser.name,
        kind,
        index,
        message,
        input: Buffer.from(small).toString('base64'),
      });
      if (findings.size >= MOST_FINDINGS) break;
    }
  } finally {
    await opened.close?.();
  }
  return { ran: count, slowestMs: Math.round(slowestMs), findings: [...findings.values()] };
}

/** The same for the same seed and number. */
export function inputOf({ corpus, mutate }: OpenParser, seed: number, index: number): Uint8Array {
  const random = randomOf(seed ^ 0x5bd1e995, index);
  const input = random.pick(corpus);
  return mutate === undefined ? mutateBytes(input, random, corpus) : mutate(input, random);
}

type Tried = { readonly kind?: 'threw' | 'slow'; readonly message: string; readonly tookMs: number };

async function tryOne(opened: OpenParser, input: Uint8Array, random: () => Random): Promise<Tried> {
  let tookMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < SLOW_TRIES && tookMs > HANG_MS; tries++) {
    // On a busy machine an input waits for others: the second time its own processor time counts.
    const now = tries === 0 ? () => performance.now() : processorMs;
    const began = now();
    try {
      const read = opened.read(input, random());
      if (read instanceof Promise) await read;
    } catch (error) {
      return { kind: 'threw', message: placeOf(error), tookMs: 0 };
    }
    tookMs = now() - began;
  }
  return tookMs > HANG_MS ? { kind: 'slow', message: '', tookMs } : { message: '', tookMs };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** What was thrown and where: one finding for each. Numbers in a message are of the input. */
function placeOf(error: unknown): string {
  const place =
    error instanceof Error
      ? /at .*?\((?:file:\/\/)?.*?((?:src|bench)\/[^)]*)\)/.exec(error.stack ?? '')?.[1]
      : undefined;
  return `${messageOf(error).slice(0, 200).replace(/\d+/g, 'N')}${place === undefined ? '' : ` at ${place}`}`;
}

type Broken = { readonly kind: 'threw' | 'slow'; readonly message: string; readonly random: () => Random };

/** Takes out as much as it can as long as the same happens. */
async function shrink(opened: OpenParser, input: Uint8Array, { kind, message, random }: Broken): Promise<Uint8Array> {
  let small = input;
  let tries = kind === 'slow' ? 20 : SHRINK_TRIES;
  for (let span = Math.ceil(small.length / 2); span >= 1; span = span === 1 ? 0 : Math.ceil(span / 2)) {
    for (let at = 0; at < small.length && tries > 0; tries--) {
      const less = Buffer.concat([small.subarray(0, at), small.subarray(at + span)]);
      const tried = await tryOne(opened, less, random);
      if (tried.kind === kind && tried.message === message) small = less;
      else at += span;
    }
  }
  return small;
}
