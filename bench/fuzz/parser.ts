// What this bench does to one parser that a stranger reaches: valid inputs to start from, how they are changed, and how they are read.
import type { Random } from './random.ts';

export type Parser = {
  readonly name: string;
  /** Inputs of a full campaign: fewer where one costs a scalar multiplication or an HTTP request. */
  readonly inputs: number;
  open(): Promise<OpenParser> | OpenParser;
};

export type OpenParser = {
  /** Valid ones, made by the project's own encoders or written by hand. */
  readonly corpus: readonly Uint8Array[];
  /** Another input made of one of the corpus; without it octets are changed. */
  readonly mutate?: (input: Uint8Array, random: Random) => Uint8Array;
  /**
   * Reads one input as the product does. Whatever it throws is a finding, and so is what takes longer than a second. Throws as well where what
   * was read does not hold together, such as a value that is written and read back as another one.
   */
  readonly read: (input: Uint8Array, random: Random) => unknown;
  readonly close?: () => Promise<void>;
};

/** For what holds of every input. */
export function mustHold(isHeld: boolean, what: string): void {
  if (!isHeld) throw new Error(`does not hold: ${what}`);
}
