// The router at the other end of a speaker's link, as far as a speaker sees it: three-way hellos, lists, an area of LSPs.
// Made of the codec, so that a test says in words what a router sends.
import assert from 'node:assert/strict';
import type { Result } from '#base/result.ts';
import { encodeGenericInformation } from '#codec/isis/geninfo.ts';
import {
  decodeLspEntries,
  decodePdu,
  encodeHello,
  encodeLsp,
  encodeSequenceNumbers,
  type Lsp,
  type LspEntry,
} from '#codec/isis/pdu.ts';
import type { Tlv } from '#codec/isis/tlv.ts';

const PARLEY_APPLICATION = 0xff01;
const TLV = { hostname: 137, neighbours: 22, generic: 251, areas: 1, threeWay: 240, authentication: 10 } as const;

export type LspForm = {
  readonly systemId: string;
  readonly hostname?: string;
  /** System ids, or node ids of 14 digits. */
  readonly neighbours?: readonly string[];
  /** Information octets, each in a TLV 251 of its own. */
  readonly announcements?: readonly Uint8Array[];
  readonly more?: readonly Tlv[];
  readonly sequence?: number;
  readonly lifetimeSeconds?: number;
  readonly overload?: boolean;
  readonly fragment?: string;
};

export const AUTHENTICATION: Tlv = { type: TLV.authentication, value: Uint8Array.of(1, 0x78) };

export function unwrap<T>(result: Result<T>): T {
  assert.ok(result.ok);
  return result.value;
}

export function routerHello(
  systemId: string,
  state: 'up' | 'initializing' | 'down',
  sees?: { readonly systemId: string; readonly circuitId: number },
  over: { readonly more?: readonly Tlv[]; readonly circuitType?: number } = {},
): Uint8Array {
  const seen = sees === undefined ? [] : [...Buffer.from(sees.systemId, 'hex'), 0, 0, 0, sees.circuitId];
  const threeWay = Uint8Array.from([['up', 'initializing', 'down'].indexOf(state), 0, 0, 0, 9, ...seen]);
  const tlvs = [
    { type: TLV.threeWay, value: threeWay },
    { type: TLV.areas, value: Uint8Array.of(3, 0x49, 0x00, 0x01) },
    ...(over.more ?? []),
  ];
  return unwrap(encodeHello({ circuitType: over.circuitType ?? 2, systemId, holdSeconds: 30, circuitId: 0, tlvs }));
}

export function lspOf(form: LspForm): Uint8Array {
  const { systemId, hostname, neighbours = [], announcements = [], more = [] } = form;
  const links = neighbours.flatMap((id) => [...Buffer.from(id.padEnd(14, '0'), 'hex'), 0, 0, 10, 0]);
  const tlvs: Tlv[] = [
    ...(hostname === undefined ? [] : [{ type: TLV.hostname, value: Buffer.from(hostname, 'latin1') }]),
    ...(links.length === 0 ? [] : [{ type: TLV.neighbours, value: Uint8Array.from(links) }]),
    ...announcements.map((value) => ({ type: TLV.generic, value: genericOf(value) })),
    ...more,
  ];
  const { sequence = 1, lifetimeSeconds = 1_200, overload = false, fragment = '0000' } = form;
  return unwrap(encodeLsp({ lspId: `${systemId}${fragment}`, sequence, lifetimeSeconds, overload, tlvs }));
}

export function csnpOf(systemId: string, lsps: readonly Uint8Array[], own: readonly LspEntry[] = []): Uint8Array {
  return unwrap(encodeSequenceNumbers('csnp', systemId, [...lsps.map((each) => entryOf(each)), ...own]));
}

export function psnpOf(systemId: string, entries: readonly LspEntry[]): Uint8Array {
  return unwrap(encodeSequenceNumbers('psnp', systemId, entries));
}

export function decodedLsp(pdu: Uint8Array): Lsp {
  const decoded = unwrap(decodePdu(pdu));
  assert.equal(decoded.kind, 'lsp');
  return decoded as Lsp;
}

export function entryOf(pdu: Uint8Array): LspEntry {
  const { lspId, sequence, checksum, lifetimeSeconds } = decodedLsp(pdu);
  return { lspId, sequence, checksum, lifetimeSeconds };
}

/** LSP ids that a PSNP names, with their sequence numbers. */
export function entriesOf(pdu: Uint8Array): readonly [string, number][] {
  const decoded = unwrap(decodePdu(pdu));
  assert.ok(decoded.kind === 'psnp' || decoded.kind === 'csnp');
  return decoded.tlvs.flatMap(({ value }) => decodeLspEntries(value)).map(({ lspId, sequence }) => [lspId, sequence]);
}

function genericOf(information: Uint8Array): Uint8Array {
  const items = [{ type: 1, value: information }];
  const form = { domainWide: false, down: false, application: PARLEY_APPLICATION, items };
  return unwrap(encodeGenericInformation(form));
}
