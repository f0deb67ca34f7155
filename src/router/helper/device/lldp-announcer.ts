// Our TLV for as long as an agent holds it: when the announcing agent goes, however it goes, the announcement goes too (TS-22).
// One change at a time, so that the withdrawal of one that has gone cannot take away its successor's.
import { createInTurn } from '#base/in-turn.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { announceTlv, type LldpTlv, withdrawTlv } from './lldp.ts';

export type TlvWriter = {
  announce(tlv: LldpTlv, informationHex: string, signal: AbortSignal): Promise<void>;
  withdraw(tlv: LldpTlv, signal: AbortSignal): Promise<void>;
};

export type Announcer = {
  /** Announces, calls `announced`, and withdraws when the signal aborts, unless another has announced since. */
  hold(tlv: LldpTlv, informationHex: string, announced: () => void, signal: AbortSignal): Promise<void>;
  withdraw(tlv: LldpTlv, signal: AbortSignal): Promise<void>;
};

export function tlvWriter(socket: string): TlvWriter {
  return {
    announce: (tlv, informationHex, signal) => announceTlv(socket, tlv, informationHex, signal),
    withdraw: (tlv, signal) => withdrawTlv(socket, tlv, signal),
  };
}

export function createAnnouncer(writer: TlvWriter): Announcer {
  const holders = new Map<string, symbol>();
  const inTurn = createInTurn();
  return {
    async hold(tlv, informationHex, announced, signal) {
      const key = keyOf(tlv);
      const me = Symbol(key);
      await inTurn(async () => {
        await writer.announce(tlv, informationHex, signal);
        holders.set(key, me);
      });
      announced();
      await ended(signal);
      await inTurn(async () => {
        if (holders.get(key) !== me) return;
        holders.delete(key);
        await writer.withdraw(tlv, AbortSignal.timeout(ROUTER_LIMITS.helperReadMs));
      });
    },
    withdraw: (tlv, signal) =>
      inTurn(async () => {
        holders.delete(keyOf(tlv));
        await writer.withdraw(tlv, signal);
      }),
  };
}

function keyOf(tlv: LldpTlv): string {
  return `${tlv.oui}/${tlv.subtype}`;
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
