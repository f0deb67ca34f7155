// A minimal IS-IS speaker beside the local router: one point-to-point neighbour, one LSP of its own, level 2 only. Knows no
// socket and no timer: it is given PDUs and told to look at the clock. Never floods what others originated, has no prefixes,
// and ends with a reason where it would do harm: passwords that it does not know, a system id that another system uses.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { readLspContents } from '#codec/isis/lsp-contents.ts';
import {
  decodeLspEntries,
  decodePdu,
  ENTRIES_PER_PDU,
  encodeSequenceNumbers,
  type Hello,
  type Lsp,
  type LspEntry,
  type SequenceNumbers,
} from '#codec/isis/pdu.ts';
import { TLV, type Tlv } from '#codec/isis/tlv.ts';
import type { IsisEvent } from '#model/router/router-port.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { type Adjacency, type AdjacencyInit, createAdjacency } from './adjacency.ts';
import { encodeAnnouncement, type HeardSystem, readAnnouncements } from './announcement.ts';
import { createDatabase } from './database.ts';
import { createOrigin, type Origin } from './origin.ts';

export type SpeakerInit = AdjacencyInit & {
  /** Dynamic host name of our LSP (RFC 5301). */
  readonly hostname: string;
  readonly information: Uint8Array;
  readonly clock: Pick<Clock, 'monotonicMs' | 'nowMs'>;
  readonly send: (pdu: Uint8Array) => void;
  readonly emit: (event: IsisEvent) => void;
};

export type Speaker = {
  /** Takes in one PDU. Throws ParleyError `node/isis-…` when it must not go on. */
  receive(pdu: Uint8Array): void;
  /** Does what is due; to be called several times a second. Throws as `receive` does. */
  tick(): void;
  announce(information: Uint8Array): void;
  /** Sends the purge of our LSP, again at every call. True when there is nothing left to purge. */
  leave(): boolean;
  /** Ends the adjacency, so that the router need not wait for its holding time. */
  farewell(): void;
};

export function createSpeaker(init: SpeakerInit): Speaker {
  return new IsisSpeaker(init);
}

class IsisSpeaker implements Speaker {
  readonly #init: SpeakerInit;
  readonly #adjacency: Adjacency;
  readonly #database = createDatabase();
  readonly #origin: Origin;
  /** What was told of each system, as text. */
  readonly #told = new Map<string, string>();
  #generic: Uint8Array;
  #toAcknowledge: LspEntry[] = [];
  #helloDueMs = 0;
  #upSinceMs = 0;
  /** The neighbour has listed its LSPs and all of them are here. */
  #listed = false;
  #dirty = false;
  #walkedAtMs = Number.NEGATIVE_INFINITY;
  #disowned = false;
  /** Told once, not once a frame. */
  #lastFault = '';

  constructor(init: SpeakerInit) {
    this.#init = init;
    this.#adjacency = createAdjacency(init);
    this.#generic = genericOf(init.information);
    this.#origin = createOrigin({ ...init, nowMs: init.clock.nowMs(), generic: () => this.#generic });
  }

  receive(octets: Uint8Array): void {
    const decoded = decodePdu(octets);
    if (!decoded.ok) {
      if (decoded.reason !== this.#lastFault) this.#init.emit({ kind: 'malformed', detail: decoded.reason });
      this.#lastFault = decoded.reason;
      return;
    }
    const pdu = decoded.value;
    if (pdu.kind === 'hello') this.#hearHello(pdu);
    if (this.#adjacency.state !== 'up') return;
    if (pdu.kind === 'lsp') this.#hearLsp(pdu);
    if (pdu.kind === 'csnp' || pdu.kind === 'psnp') this.#hearSequenceNumbers(pdu);
  }

  tick(): void {
    const nowMs = this.#init.clock.monotonicMs();
    const wasUp = this.#adjacency.state === 'up';
    if (this.#adjacency.expire(nowMs)) this.#adjacencyChanged(wasUp);
    if (nowMs >= this.#helloDueMs) this.#sayHello();
    const { neighbour, area, state } = this.#adjacency;
    if (state === 'up' && neighbour !== undefined && area !== undefined) {
      this.#acknowledge();
      const ready = this.#listed || nowMs - this.#upSinceMs >= HELPER_LIMITS.isisSyncMs;
      const own = ready ? this.#origin.due(nowMs, neighbour, area) : undefined;
      if (own !== undefined) this.#init.send(own);
    }
    if (this.#database.age(nowMs)) this.#dirty = true;
    if (this.#dirty && nowMs - this.#walkedAtMs >= HELPER_LIMITS.isisWalkMs) this.#tellChanges(nowMs);
  }

  announce(information: Uint8Array): void {
    this.#generic = genericOf(information);
    this.#origin.change();
  }

  leave(): boolean {
    const purge = this.#disowned || this.#adjacency.state !== 'up' ? undefined : this.#origin.purge();
    if (purge === undefined || this.#origin.acknowledged) return true;
    this.#init.send(purge);
    return false;
  }

  farewell(): void {
    this.#adjacency.end();
    this.#sayHello();
  }

  #sayHello(): void {
    const hello = this.#adjacency.hello();
    if (hello !== undefined) this.#init.send(hello);
    this.#helloDueMs = this.#init.clock.monotonicMs() + HELPER_LIMITS.isisHelloMs;
  }

  #hearHello(hello: Hello): void {
    refusePassword(hello.tlvs);
    const wasUp = this.#adjacency.state === 'up';
    if (!this.#adjacency.hear(hello, this.#init.clock.monotonicMs())) return;
    this.#sayHello();
    this.#adjacencyChanged(wasUp);
  }

  #adjacencyChanged(wasUp: boolean): void {
    const isUp = this.#adjacency.state === 'up';
    if (wasUp === isUp) return;
    this.#database.clear();
    this.#toAcknowledge = [];
    this.#listed = false;
    this.#dirty = true;
    this.#init.emit({ kind: 'adjacency', state: isUp ? 'up' : 'down' });
    if (!isUp) return;
    this.#upSinceMs = this.#init.clock.monotonicMs();
    this.#origin.resend();
    // An empty list makes the neighbour send everything that it has (ISO/IEC 10589 §7.3.15.2).
    this.#sendNumbers('csnp', []);
  }

  #hearLsp(lsp: Lsp): void {
    if (lsp.lspId === this.#origin.lspId) {
      this.#refuseForeign(lsp);
      this.#origin.hear(lsp);
      return;
    }
    const fromRouter = lsp.lspId.startsWith(this.#adjacency.neighbour ?? '-');
    if (fromRouter && readLspContents(lsp.contents).authenticated) throw password();
    const { lspId, sequence, checksum, lifetimeSeconds } = lsp;
    this.#toAcknowledge.push({ lspId, sequence, checksum, lifetimeSeconds });
    if (this.#database.offer(lsp, this.#init.clock.monotonicMs())) this.#dirty = true;
  }

  /** Another system's LSP under our id is never overtaken or purged. */
  #refuseForeign(lsp: Lsp): void {
    const { hostname } = readLspContents(lsp.contents);
    if (lsp.lifetimeSeconds === 0 || hostname === this.#init.hostname) return;
    this.#disowned = true;
    const message = `expected system id ${this.#init.systemId} to be free, ${hostname ?? 'a system without a name'} has it`;
    throw new ParleyError('node/isis-system-id', message);
  }

  #hearSequenceNumbers(pdu: SequenceNumbers): void {
    if (pdu.systemId !== this.#adjacency.neighbour) return;
    refusePassword(pdu.tlvs);
    const entries = pdu.tlvs
      .filter(({ type }) => type === TLV.lspEntries)
      .flatMap(({ value }) => decodeLspEntries(value));
    const ownId = this.#origin.lspId;
    const own = entries.find(({ lspId }) => lspId === ownId);
    if (own !== undefined) this.#origin.hear(own);
    else if (pdu.kind === 'csnp' && pdu.first <= ownId && ownId <= pdu.last) this.#origin.resend();
    if (pdu.kind === 'psnp') return;
    const asked = this.#database.missing(entries.filter(({ lspId }) => !lspId.startsWith(this.#init.systemId)));
    this.#listed ||= asked.length === 0;
    for (const lspId of asked) this.#toAcknowledge.push({ lspId, sequence: 0, checksum: 0, lifetimeSeconds: 0 });
  }

  /** Acknowledges what came and asks for what is missing. */
  #acknowledge(): void {
    const entries = this.#toAcknowledge;
    this.#toAcknowledge = [];
    for (let at = 0; at < entries.length; at += ENTRIES_PER_PDU)
      this.#sendNumbers('psnp', entries.slice(at, at + ENTRIES_PER_PDU));
  }

  #sendNumbers(kind: 'csnp' | 'psnp', entries: readonly LspEntry[]): void {
    const encoded = encodeSequenceNumbers(kind, this.#init.systemId, entries);
    if (!encoded.ok) throw new ParleyError('us/isis-encoding', encoded.reason);
    this.#init.send(encoded.value);
  }

  #tellChanges(nowMs: number): void {
    this.#dirty = false;
    this.#walkedAtMs = nowMs;
    const { state, neighbour } = this.#adjacency;
    const reachable = state === 'up' ? this.#database.reachable(`${neighbour}00`) : [];
    const heard = reachable.flatMap((system) => readAnnouncements(system) ?? []).slice(0, LIMITS.peers);
    tellDifference(this.#told, heard, this.#init.emit);
  }
}

function genericOf(information: Uint8Array): Uint8Array {
  const encoded = encodeAnnouncement(information);
  if (encoded.ok) return encoded.value;
  throw new ParleyError('caller/bad-argument', encoded.reason);
}

/** Systems that are new or different, then those that are no more. */
function tellDifference(
  told: Map<string, string>,
  heard: readonly HeardSystem[],
  emit: (event: IsisEvent) => void,
): void {
  const left = new Set(told.keys());
  for (const system of heard) {
    left.delete(system.systemId);
    const text = JSON.stringify(system);
    if (told.get(system.systemId) === text) continue;
    told.set(system.systemId, text);
    emit({ kind: 'system', ...system });
  }
  for (const systemId of left) {
    told.delete(systemId);
    emit({ kind: 'gone', systemId });
  }
}

function refusePassword(tlvs: readonly Tlv[]): void {
  if (tlvs.some(({ type }) => type === TLV.authentication)) throw password();
}

/** Our PDUs would be dropped in silence: better to say why nothing is found. */
function password(): ParleyError {
  const message = 'expected an area and a circuit without passwords, the router authenticates its PDUs (TLV 10)';
  return new ParleyError('node/isis-password', message);
}
