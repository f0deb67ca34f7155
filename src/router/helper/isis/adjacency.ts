// The one adjacency of the speaker: point-to-point, level 2, three-way (RFC 5303). Decides from hellos; sends nothing itself.
import { ParleyError } from '#base/error.ts';
import { encodeHello, type Hello } from '#codec/isis/pdu.ts';
import { TLV, type Tlv } from '#codec/isis/tlv.ts';
import { HELPER_LIMITS } from '../limits.ts';

export type AdjacencyInit = {
  readonly systemId: string;
  /** Area address in hex; learned from the neighbour when absent. */
  readonly area?: string;
  /** Identifies our end of the link to the neighbour: the interface's index. */
  readonly circuitId: number;
  /** Link-local address of our end, 16 octets. */
  readonly linkLocal: Uint8Array;
};

export type Adjacency = {
  /** Takes a hello in; true when our state changed, which the neighbour should hear at once. */
  hear(hello: Hello, nowMs: number): boolean;
  /** True when the neighbour fell silent for its holding time. */
  expire(nowMs: number): boolean;
  /** Ends the adjacency on our side. */
  end(): void;
  /** Our next hello; undefined while no area is known. */
  hello(): Uint8Array | undefined;
  readonly state: AdjacencyState;
  readonly neighbour: string | undefined;
  readonly area: string | undefined;
};

export type AdjacencyState = keyof typeof STATE;

/** As on the wire (RFC 5303 §3.1). */
const STATE = { up: 0, initializing: 1, down: 2 } as const;
const LEVEL_2 = 2;
/** IPv4 and IPv6 (NLPIDs of RFC 1195 and RFC 5308). */
const PROTOCOLS = Uint8Array.of(0xcc, 0x8e);

export function createAdjacency(init: AdjacencyInit): Adjacency {
  let state: AdjacencyState = 'down';
  let neighbour: { readonly systemId: string; readonly circuitId: Uint8Array } | undefined;
  let area = init.area;
  let expiresAtMs = 0;
  const end = () => {
    state = 'down';
    neighbour = undefined;
  };

  return {
    hear(hello, nowMs) {
      const heard = readThreeWay(hello);
      checkNeighbour(hello, init.systemId);
      if (heard === undefined || !heard.forUs(init)) return false;
      area ??= heard.area;
      const before = state;
      if (neighbour !== undefined && neighbour.systemId !== hello.systemId) end();
      state = nextState(state, heard.state);
      neighbour = state === 'down' ? undefined : { systemId: hello.systemId, circuitId: heard.circuitId };
      expiresAtMs = nowMs + hello.holdSeconds * 1_000;
      return state !== before;
    },
    expire(nowMs) {
      if (neighbour === undefined || nowMs < expiresAtMs) return false;
      end();
      return true;
    },
    end,
    hello() {
      if (area === undefined) return undefined;
      const other = neighbour === undefined ? [] : [...Buffer.from(neighbour.systemId, 'hex'), ...neighbour.circuitId];
      const tlvs: Tlv[] = [
        { type: TLV.threeWay, value: Uint8Array.from([STATE[state], ...wide(init.circuitId), ...other]) },
        { type: TLV.protocols, value: PROTOCOLS },
        areaTlv(area),
        { type: TLV.ipv6Interfaces, value: init.linkLocal },
      ];
      const fixed = {
        circuitType: LEVEL_2,
        systemId: init.systemId,
        holdSeconds: HELPER_LIMITS.isisHoldSeconds,
        circuitId: 1,
      };
      const encoded = encodeHello({ ...fixed, tlvs });
      if (!encoded.ok) throw new ParleyError('us/isis-encoding', encoded.reason);
      return encoded.value;
    },
    get state() {
      return state;
    },
    get neighbour() {
      return neighbour?.systemId;
    },
    get area() {
      return area;
    },
  };
}

/** One area address. */
export function areaTlv(area: string): Tlv {
  const octets = Buffer.from(area, 'hex');
  return { type: TLV.areas, value: Uint8Array.from([octets.length, ...octets]) };
}

/** Faults of the router's configuration that waiting does not mend. */
function checkNeighbour(hello: Hello, systemId: string): void {
  if (hello.systemId === systemId) {
    const message = `expected a system id of its own for the speaker, the router has ${systemId} too`;
    throw new ParleyError('node/isis-system-id', message);
  }
  if ((hello.circuitType & LEVEL_2) === 0)
    throw new ParleyError('node/isis-level', 'expected a level-2 circuit, the router speaks level 1 only');
}

/** RFC 5303 §3.2: our next state by ours and by the one that the neighbour tells of itself. */
function nextState(own: AdjacencyState, its: AdjacencyState): AdjacencyState {
  if (its === 'down') return 'initializing';
  if (its === 'initializing') return 'up';
  return own === 'down' ? 'down' : 'up';
}

function readThreeWay(hello: Hello) {
  const value = hello.tlvs.find(({ type }) => type === TLV.threeWay)?.value;
  if (value === undefined || value.length < 5) return undefined;
  const state = (Object.keys(STATE) as AdjacencyState[]).find((name) => STATE[name] === value[0]);
  if (state === undefined) return undefined;
  const areas = hello.tlvs.find(({ type }) => type === TLV.areas)?.value ?? new Uint8Array(0);
  const area = Buffer.from(areas.subarray(1, 1 + (areas[0] ?? 0))).toString('hex');
  return {
    state,
    circuitId: value.slice(1, 5),
    area: area === '' ? undefined : area,
    /** A hello that names another system or circuit is not for us. */
    forUs: (own: AdjacencyInit): boolean =>
      value.length < 15 ||
      (Buffer.from(value.subarray(5, 11)).toString('hex') === own.systemId &&
        Buffer.from(value.subarray(11, 15)).equals(Buffer.from(wide(own.circuitId)))),
  };
}

function wide(value: number): number[] {
  return [value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
}
