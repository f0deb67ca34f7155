// Our own LSP: its sequence number, when it is sent, whether it was acknowledged, and its purge. One fragment, no prefixes,
// overload bit and the largest usable metric, so that no route ever leads through or to the speaker.
import { ParleyError } from '#base/error.ts';
import { encodeLsp, type LspEntry } from '#codec/isis/pdu.ts';
import { TLV, type Tlv } from '#codec/isis/tlv.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { areaTlv } from './adjacency.ts';

export type OriginInit = {
  readonly systemId: string;
  readonly hostname: string;
  /** Seconds since the epoch: a restart always begins above what it sent before, without a file. */
  readonly nowMs: number;
  /** The value of TLV 251. */
  readonly generic: () => Uint8Array;
};

export type Origin = {
  /** What is to be sent now; undefined when nothing is due. */
  due(nowMs: number, neighbour: string, area: string): Uint8Array | undefined;
  /** The content has changed. */
  change(): void;
  /** The neighbour lost what it had, or is new. */
  resend(): void;
  /** Our LSP as the neighbour lists it or floods it back: an acknowledgement, a wish for it, or news of a higher number. */
  hear(entry: Pick<LspEntry, 'sequence' | 'checksum' | 'lifetimeSeconds'>): void;
  /** The purge, the same at every call; undefined when nothing of ours was ever sent. */
  purge(): Uint8Array | undefined;
  readonly acknowledged: boolean;
  readonly lspId: string;
};

/** 2020-01-01T00:00:00Z; seconds since then fit into a sequence number until the year 2156. */
const SEQUENCE_EPOCH_MS = 1_577_836_800_000;
const LAST_SEQUENCE = 0xffff_ffff;
/** One below the value that takes a link out of the graph (RFC 5305 §3). */
const LARGEST_METRIC = [0xff, 0xff, 0xfe];
const PROTOCOLS = Uint8Array.of(0xcc, 0x8e);
const CHECKSUM_AT = 24;

export function createOrigin(init: OriginInit): Origin {
  const lspId = `${init.systemId}0000`;
  let sequence = Math.max(1, Math.floor((init.nowMs - SEQUENCE_EPOCH_MS) / 1_000));
  let sent: { readonly pdu: Uint8Array; readonly neighbour: string; readonly atMs: number } | undefined;
  let sentAgainAtMs = 0;
  let changed = true;
  let acknowledged = false;
  let overtakings = 0;
  let purging = false;

  const resend = () => {
    acknowledged = false;
    sentAgainAtMs = Number.NEGATIVE_INFINITY;
  };
  const next = () => {
    if (sequence >= LAST_SEQUENCE) throw taken('the last sequence number was used under it');
    sequence += 1;
  };
  const overtake = (theirs: number) => {
    overtakings += 1;
    if (overtakings > HELPER_LIMITS.isisSequenceConflicts)
      throw taken('it is announced again and again from elsewhere');
    sequence = Math.max(sequence, theirs);
    changed = true;
  };
  const taken = (why: string) =>
    new ParleyError('node/isis-system-id', `expected system id ${init.systemId} to be the speaker's alone: ${why}`);

  const judge: Origin['hear'] = (theirs) => {
    if (sent === undefined) {
      // What is left of an earlier run, or of a clock that was ahead: go on above it.
      sequence = Math.max(sequence, theirs.sequence);
      return;
    }
    if (purging) {
      acknowledged = theirs.sequence >= sequence;
      return;
    }
    const checksum = (sent.pdu[CHECKSUM_AT]! << 8) | sent.pdu[CHECKSUM_AT + 1]!;
    const same = theirs.sequence === sequence && theirs.checksum === checksum && theirs.lifetimeSeconds > 0;
    if (theirs.sequence < sequence) resend();
    else if (same) acknowledged = true;
    else overtake(theirs.sequence);
  };

  return {
    due(nowMs, neighbour, area) {
      const age = sent === undefined ? Number.POSITIVE_INFINITY : nowMs - sent.atMs;
      if (age >= HELPER_LIMITS.isisRefreshMs) overtakings = 0;
      const stale = changed || age >= HELPER_LIMITS.isisRefreshMs || sent?.neighbour !== neighbour;
      if (stale && age >= HELPER_LIMITS.isisOriginateMs) {
        next();
        const pdu = encode(init, sequence, neighbour, area);
        sent = { pdu, neighbour, atMs: nowMs };
        changed = acknowledged = false;
        sentAgainAtMs = nowMs;
        return pdu;
      }
      if (sent === undefined || acknowledged || nowMs - sentAgainAtMs < HELPER_LIMITS.isisRetransmitMs)
        return undefined;
      sentAgainAtMs = nowMs;
      return sent.pdu;
    },
    change() {
      changed = true;
    },
    resend,
    hear: judge,
    purge() {
      if (sent === undefined) return undefined;
      if (purging) return sent.pdu;
      purging = true;
      if (sequence < LAST_SEQUENCE) sequence += 1;
      const encoded = encodeLsp({ lspId, sequence, lifetimeSeconds: 0, overload: true, tlvs: [] });
      if (!encoded.ok) throw new ParleyError('us/isis-encoding', encoded.reason);
      sent = { ...sent, pdu: encoded.value };
      acknowledged = false;
      return encoded.value;
    },
    get acknowledged() {
      return acknowledged;
    },
    lspId,
  };
}

function encode(init: OriginInit, sequence: number, neighbour: string, area: string): Uint8Array {
  const link = Uint8Array.from([...Buffer.from(neighbour, 'hex'), 0, ...LARGEST_METRIC, 0]);
  const tlvs: Tlv[] = [
    areaTlv(area),
    { type: TLV.protocols, value: PROTOCOLS },
    { type: TLV.hostname, value: Buffer.from(init.hostname, 'latin1') },
    { type: TLV.extendedNeighbours, value: link },
    { type: TLV.generic, value: init.generic() },
  ];
  const lspId = `${init.systemId}0000`;
  const encoded = encodeLsp({
    lspId,
    sequence,
    lifetimeSeconds: HELPER_LIMITS.isisLifetimeSeconds,
    overload: true,
    tlvs,
  });
  if (!encoded.ok) throw new ParleyError('us/isis-encoding', encoded.reason);
  return encoded.value;
}
