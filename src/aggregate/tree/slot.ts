// One segment of this aggregator and what stands behind it now: a session, or after its loss the degraded remains until the grace period ends.
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { PARLEY_EXPERIMENT } from '#mcp/protocol/negotiation.ts';
import { NO_OFFERS, type Offers } from '../leaf/offers.ts';
import type { Subserver } from '../leaf/subserver.ts';
import { AGGREGATE_EXPERIMENT, objectOf } from '../names/capability.ts';

/** `claims`: what a tool says of itself decides whether it needs approval; `none`: each of its tools needs it, unless the signed registry says otherwise. */
export type Trust = 'claims' | 'none';

export type SlotRules = {
  readonly trust: Trust;
  /** What happens to a tool of which neither it nor the registry says whether it changes something. */
  readonly unsaid: 'gate' | 'open';
  /** `read`: nothing that may change something is ever sent there (MCP-AX §10.2). */
  readonly scope: 'read' | 'write';
};

export type SlotInit = {
  readonly segment: string;
  readonly how: 'stdio' | 'http' | 'registered';
  /** Passes names with dots, each of them a path below it. */
  readonly isAggregator: boolean;
  readonly rules: SlotRules;
  /** Name in the certificate of what has registered here; absent for servers by configuration. */
  readonly node?: string | undefined;
};

export type SlotState = 'starting' | 'up' | 'degraded';

export type Slot = SlotInit & {
  readonly state: SlotState;
  /** Wall clock, of the last change of state. */
  readonly sinceMs: number;
  readonly reason: string | undefined;
  readonly subserver: Subserver | undefined;
  /** Empty where nothing is known; kept while degraded. */
  readonly offers: Offers;
  readonly serverInfo: JsonObject;
  up(subserver: Subserver): void;
  degrade(reason: string): void;
  /** The grace period is over. */
  forget(): void;
};

/** Members of `capabilities.experimental` by which our agents and aggregators announce themselves. */
const OURS = [PARLEY_EXPERIMENT, AGGREGATE_EXPERIMENT];

/** The node behind a slot that is an agent or an aggregator of ours: it came with a certificate of this domain, and says that it is one. */
export function ownNodeOf({ node, subserver }: Pick<Slot, 'node' | 'subserver'>): string | undefined {
  const experimental = objectOf(subserver?.capabilities['experimental']);
  return OURS.some((name) => experimental[name] !== undefined) ? node : undefined;
}

/** `changed` hears of each change of state. */
export function createSlot(init: SlotInit, clock: Pick<Clock, 'nowMs'>, changed: () => void): Slot {
  let state: SlotState = 'starting';
  let sinceMs = clock.nowMs();
  let reason: string | undefined;
  let subserver: Subserver | undefined;
  let kept: Offers = NO_OFFERS;
  let serverInfo: JsonObject = {};
  const turn = (next: SlotState, why?: string) => {
    if (state !== next) sinceMs = clock.nowMs();
    state = next;
    reason = why;
    changed();
  };
  return {
    ...init,
    get state() {
      return state;
    },
    get sinceMs() {
      return sinceMs;
    },
    get reason() {
      return reason;
    },
    get subserver() {
      return subserver;
    },
    get offers() {
      return subserver?.offers ?? kept;
    },
    get serverInfo() {
      return serverInfo;
    },
    up(opened) {
      subserver = opened;
      serverInfo = opened.serverInfo;
      turn('up');
    },
    degrade(why) {
      kept = subserver?.offers ?? kept;
      subserver = undefined;
      turn(state === 'starting' ? 'starting' : 'degraded', why);
    },
    forget() {
      kept = NO_OFFERS;
      turn('starting', reason);
    },
  };
}
