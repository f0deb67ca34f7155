// Where commands write: results to standard output, progress and errors to standard error. Nothing else prints.
import { messageOf, ParleyError } from '#base/error.ts';
import { seenJson } from '#base/json.ts';
import { harmless, written } from './harmless.ts';
import { type Line, labelled, type Terminal, type Tone, terminalOf, wrapped } from './layout.ts';
import { createPhases } from './phases.ts';

const OUTPUT_SCHEMA_VERSION = 1;

export type Output = {
  readonly json: boolean;
  /** Of standard output; absent: neither wrapped nor coloured. */
  readonly terminal?: Terminal;
  /** One result line for people; silent with --json. */
  line(line?: Line): void;
  /** Progress, on standard error; silent with --json. */
  progress(text: string): void;
  /** Progress of a question: one line for a phase; each message where a program asked for progress beside JSON. */
  phase?(step: string, text: string): void;
  /** Takes the line of the last phase away. */
  endPhases?(): void;
  /** The one JSON object of --json. */
  result(value: Readonly<Record<string, unknown>>): void;
};

/** `progress`: shows progress with --json as well. */
export function createOutput(json: boolean, progress = false): Output {
  const phases = createPhases(process.stderr, terminalOf(process.stderr, process.env));
  const terminal = terminalOf(process.stdout, process.env);
  return {
    json,
    terminal,
    phase: (step, text) => {
      if (json && progress) process.stderr.write(`· ${harmless(text)}\n`);
      else if (!json) phases.tell(step);
    },
    endPhases: () => phases.end(),
    line: (line = '') => {
      if (!json) process.stdout.write(`${written(line, terminal)}\n`);
    },
    progress: (text) => {
      if (!json || progress) process.stderr.write(`${harmless(text)}\n`);
    },
    result: (value) => {
      if (json)
        process.stdout.write(`${seenJson(JSON.stringify({ schemaVersion: OUTPUT_SCHEMA_VERSION, ...value }))}\n`);
    },
  };
}

/** A label and a text beside it, wrapped to the terminal; of another tone where the terminal has colours. */
export function entry(output: Output, label: string, text: string, tone?: Tone): void {
  const { terminal } = output;
  for (const [index, line] of labelled(label, printable(text), terminal?.width).entries()) {
    const isLabel = index === 0 && label !== '';
    output.line(isLabel ? [{ text: label, tone: tone ?? 'dim' }, line.slice(label.length)] : line);
  }
}

/** A mark, two blanks, and a text that is wrapped beside them. */
export function mark(output: Output, sign: string, text: string, tone: Tone): void {
  const [first = '', ...rest] = wrapped(`${sign}  ${printable(text)}`, output.terminal?.width, sign.length + 2);
  output.line([{ text: sign, tone }, first.slice(sign.length)]);
  for (const line of rest) output.line(line);
}

/** Prose from the first column on. */
export function prose(output: Output, text: string, indent: number | string = 0): void {
  for (const line of wrapped(printable(text), output.terminal?.width, indent)) output.line(line);
}

/** Writes as much as the reader takes: for what may be hundreds of megabytes. A program gets it as it is. */
export function writeOut(text: string): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.write(process.stdout.isTTY ? harmless(text) : text)) resolve();
    else process.stdout.once('drain', resolve);
  });
}

/** What a shell reports after SIGPIPE: a verification that was not shown to its end must not exit with 0. */
const ENDED_BY_READER = 141;

/** A reader may stop reading our output (`| head`): the process then ends silently, as other tools do. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(ENDED_BY_READER);
  });
}

/** Reports an error to the operator: as JSON on standard output with --json, else as text on standard error. */
export function complain(error: unknown, json: boolean): void {
  const code = error instanceof ParleyError ? error.code : 'us/unexpected';
  const data = error instanceof ParleyError ? error.data : {};
  if (json) createOutput(true).result({ error: { code, message: messageOf(error), data } });
  else {
    const { isTty, width } = terminalOf(process.stderr, process.env);
    const lines = wrapped(`parley: ${messageOf(error)}`, isTty ? width : undefined, 2);
    process.stderr.write(harmless(`${lines.join('\n')}\n${detailLines(data)}`));
  }
}

/** Lists in an error's data, such as the known forms or nodes, one line each. */
function detailLines(data: Readonly<Record<string, unknown>>): string {
  return Object.entries(data)
    .flatMap(([key, value]) =>
      Array.isArray(value) && value.length > 0
        ? [`  ${LISTS[key] ?? key}:`, ...value.map((item) => `    ${String(item)}`)]
        : [],
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** What lists are called that people read. */
const LISTS: Readonly<Record<string, string>> = { forms: 'it answers, for example' };

/** Text of devices, peers and files, without terminal control characters. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
}

/** A table with aligned columns; no trailing blanks. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
