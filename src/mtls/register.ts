// The CA's register: the serial counter and the last certificate of every party, in one JSON file.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from '#base/files.ts';
import { isJsonObject } from '#base/json.ts';
import { type Random, randomHex } from '#base/random.ts';

const REGISTER_FILE = 'register.json';

export type Register = {
  readonly schemaVersion: 1;
  readonly domain: string;
  /** Number of the next certificate. */
  readonly counter: number;
  /** Number of the latest trust list; 0 or absent: none was made. */
  readonly trustList?: number;
  /** `<kind>/<name>` → its last certificate. */
  readonly issued: {
    readonly [party: string]: { readonly serial: string; readonly thumbprint: string; readonly notAfter: string };
  };
};

/** 16 octets, lower-case hex: 0x50 keeps it positive and minimal, then the counter, then 88 random bits (RFC 5280 §4.1.2.2). */
export function nextSerial(register: Register, random: Random): string {
  return `50${register.counter.toString(16).padStart(8, '0')}${randomHex(random, 11)}`;
}

export async function loadRegister(dir: string): Promise<Register> {
  const register: unknown = JSON.parse(await readFile(join(dir, REGISTER_FILE), 'utf8'));
  if (
    !isJsonObject(register) ||
    register['schemaVersion'] !== 1 ||
    !isJsonObject(register['issued']) ||
    !Number.isSafeInteger(register['counter'])
  ) {
    throw new Error(`expected a register of schema version 1 in ${REGISTER_FILE}, it holds something else`);
  }
  return register as unknown as Register;
}

export async function storeRegister(dir: string, register: Register): Promise<void> {
  await writeFileDurably(join(dir, REGISTER_FILE), `${JSON.stringify(register, undefined, 2)}\n`, 0o600);
}
