// What one kind of kept state is to this bench: work that is recorded, and what must hold wherever the power fails in it.
import type { JsonValue } from '#base/json.ts';
import type { Note } from './recording.ts';

/** One life of the workload's process; the last ends in order, the others are killed at some moment. */
export type Life = {
  /** Folder of this part, the same in every life. */
  readonly dir: string;
  /** From 1. */
  readonly number: number;
  readonly random: () => number;
  /** Operations that are wanted in this life. */
  readonly operations: number;
  /** Says what is about to be done, in the order of the recording. */
  attempt(fields: Readonly<Record<string, JsonValue>>): void;
  /** Says what was promised to be kept. */
  ack(fields: Readonly<Record<string, JsonValue>>): void;
};

export type After = {
  /** Folder of this part as the cut left it; may be missing. */
  readonly dir: string;
  /** Of this part, up to the cut, in their order. */
  readonly notes: readonly Note[];
  /** Names of files below the folder at the cut, as a process saw them. */
  readonly liveNames: readonly string[];
};

export type Part = {
  readonly name: string;
  /** What is there and durable before the recording begins. */
  prepare?(dir: string): Promise<void>;
  work(life: Life): Promise<void>;
  /** Opens the state with the project's own code, and says what is lost or broken. */
  check(after: After): Promise<readonly string[]>;
};

export function acksOf(notes: readonly Note[], what: string): readonly Note[] {
  return notes.filter((note) => note.kind === 'ack' && note['what'] === what);
}

export function attemptsOf(notes: readonly Note[], what: string): readonly Note[] {
  return notes.filter((note) => note.kind === 'attempt' && note['what'] === what);
}
