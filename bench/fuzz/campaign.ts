// Runs the inputs of one parser in processes of their own, with a bound on memory, and watches them. A process that dies or stands still is one
// finding: the input that did it is found by running the last stretch again, one by one; the campaign goes on behind it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Parser } from './parser.ts';
import type { Finding, StretchResult } from './stretch.ts';

export type Campaign = {
  readonly parser: Parser;
  /** The module that has it, as `PARSERS`, where it is none of ours. */
  readonly parsers?: string;
  readonly seed: number;
  readonly inputs: number;
  /** A folder for this campaign's files. */
  readonly dir: string;
  readonly say: (line: string) => void;
};

export type CampaignResult = {
  readonly ran: number;
  readonly slowestMs: number;
  /** Resident memory of the largest process. */
  readonly mostBytes: number;
  readonly findings: readonly Finding[];
  /** Processor time of all of its processes. */
  readonly inputsPerSecond: number;
};

/** Heap of one process; a parser that needs more for one input of at most 70 kB takes too much. */
const HEAP_MEGABYTES = 192;
const RESIDENT_BYTES = 700_000_000;
const EVERY = 100;
/** Inputs of one process: what grows from input to input is let go with it, and shows before. */
const STRETCH = 1_000_000;
const WATCH_MS = 1_000;
/** Processor time of `EVERY` inputs, or of one. Not time on the clock: the machine may be busy. */
const STILL_TICKS = 3_000;
const MOST_DEATHS = 5;

export async function runCampaign(init: Campaign): Promise<CampaignResult> {
  const findings: Finding[] = [];
  const began = performance.now();
  let [at, slowestMs, mostBytes, deaths] = [0, 0, 0, 0];
  while (at < init.inputs) {
    const count = Math.min(STRETCH, init.inputs - at);
    const ended = await runOnce(init, { from: at, count, every: EVERY });
    if (ended.result !== undefined) {
      at += count;
      slowestMs = Math.max(slowestMs, ended.result.slowestMs);
      mostBytes = Math.max(mostBytes, ended.result.mostBytes);
      findings.push(...ended.result.findings);
      init.say(`${init.parser.name}: ${at} of ${init.inputs} inputs, ${findings.length} findings`);
      continue;
    }
    const alone = await runOnce(init, { from: ended.place, count: EVERY, every: 1 });
    const index = alone.result === undefined ? alone.place : ended.place;
    const message = alone.result === undefined ? alone.why : `${ended.why}, not again when its inputs were read alone`;
    findings.push({ parser: init.parser.name, kind: 'died', index, message });
    at = index + 1;
    if (++deaths >= MOST_DEATHS) break;
  }
  if (mostBytes > RESIDENT_BYTES)
    findings.push({ parser: init.parser.name, kind: 'died', index: at, message: `${mostBytes} octets resident` });
  const inputsPerSecond = Math.round(at / ((performance.now() - began) / 1_000));
  return { ran: at, slowestMs, mostBytes, findings, inputsPerSecond };
}

type Part = { readonly from: number; readonly count: number; readonly every: number };
type Ended =
  | { readonly result: StretchResult & { readonly mostBytes: number }; readonly place: number; readonly why: string }
  | { readonly result: undefined; readonly place: number; readonly why: string };

async function runOnce(
  { parser, parsers = join(import.meta.dirname, 'parsers.ts'), seed, dir }: Campaign,
  { from, count, every }: Part,
): Promise<Ended> {
  const placeFile = join(dir, `${parser.name}.place`);
  const args = [parsers, parser.name, seed, from, count, every, placeFile].map(String);
  const options = ['--conditions=parley-source', `--max-old-space-size=${HEAP_MEGABYTES}`];
  const child = spawn(process.execPath, [...options, join(import.meta.dirname, 'worker.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complained] = [text(child.stdout), text(child.stderr)];
  const place = () => Number(readFileSync(placeFile, 'utf8') || from);
  const watched = watch(child, place);
  const [code, signal] = await once(child, 'exit');
  const wasStill = watched();
  const result = await said;
  if (code === 0) return { result: JSON.parse(result), place: from, why: '' };
  const last = (await complained).trim().split('\n').slice(0, 6).join(' ');
  return { result: undefined, place: place(), why: wasStill ? 'stood still' : `ended with ${signal ?? code}: ${last}` };
}

/** Ends a process that works at one place for too long. Call what it gives to stop; true when it was ended. */
function watch(child: ChildProcess, place: () => number): () => boolean {
  let [lastPlace, sinceTicks, wasStill] = [-1, 0, false];
  const timer = setInterval(() => {
    const ticks = ticksOf(child.pid!);
    const now = placeOr(place);
    if (now !== lastPlace) [lastPlace, sinceTicks] = [now, ticks];
    if (ticks - sinceTicks <= STILL_TICKS) return;
    wasStill = true;
    child.kill('SIGKILL');
  }, WATCH_MS);
  return () => {
    clearInterval(timer);
    return wasStill;
  };
}

function placeOr(place: () => number): number {
  try {
    return place();
  } catch {
    return -1;
  }
}

/** Of a hundredth of a second each (proc(5)); 0 of a process that is gone. */
function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
