// A speaker on a fake clock, with what it sends and tells in lists, and an area of three routers in a row around it.
import assert from 'node:assert/strict';
import { decodePdu } from '#codec/isis/pdu.ts';
import type { IsisEvent } from '#model/router/router-port.ts';
import { createSpeaker } from '#router/helper/isis/speaker.ts';
import { createFakeClock } from '../fakes/clock.ts';
import * as router from '../fakes/isis-router.ts';

export const ROUTER = '000000000001';
export const P2 = '000000000002';
export const PE3 = '000000000003';
export const OURS = '02aabbccdd01';
export const THEIRS = '02aabbccdd03';
export const US = { systemId: OURS, circuitId: 7 };
export const information = Uint8Array.of(1, 0x25, 0x2a);

export function setUp(over: { readonly nowMs?: number; readonly area?: string } = {}) {
  const clock = createFakeClock(over.nowMs === undefined ? {} : { nowMs: over.nowMs });
  const sent: Uint8Array[] = [];
  const events: IsisEvent[] = [];
  const speaker = createSpeaker({
    ...US,
    ...(over.area === undefined ? {} : { area: over.area }),
    linkLocal: Uint8Array.from([0xfe, 0x80, ...new Uint8Array(13), 1]),
    hostname: 'parley-pe1',
    information,
    clock,
    send: (pdu) => sent.push(pdu),
    emit: (event) => events.push(event),
  });
  /** What was sent since the last look, of one kind. */
  const taken = (kind: string) => sent.splice(0).filter((pdu) => router.unwrap(decodePdu(pdu)).kind === kind);
  const pass = async (ms: number) => {
    await clock.advance(ms);
    speaker.tick();
  };
  const connect = async (lsps: readonly Uint8Array[] = []) => {
    speaker.receive(router.routerHello(ROUTER, 'down'));
    speaker.receive(router.routerHello(ROUTER, 'initializing', US));
    for (const lsp of lsps) speaker.receive(lsp);
    speaker.receive(router.csnpOf(ROUTER, lsps));
    speaker.tick();
  };
  const systems = () => events.filter((event) => event.kind === 'system' || event.kind === 'gone');
  return { clock, speaker, sent, events, taken, pass, connect, systems };
}

export const helloState = (pdu: Uint8Array) => {
  const decoded = router.unwrap(decodePdu(pdu));
  assert.ok(decoded.kind === 'hello');
  return ['up', 'initializing', 'down'][decoded.tlvs[0]!.value[0]!];
};
export const area = (announcement = information) => [
  router.lspOf({ systemId: ROUTER, hostname: 'pe1', neighbours: [P2, OURS] }),
  router.lspOf({ systemId: P2, hostname: 'p2', neighbours: [ROUTER, PE3] }),
  router.lspOf({ systemId: PE3, hostname: 'pe3', neighbours: [P2, THEIRS] }),
  router.lspOf({
    systemId: THEIRS,
    hostname: 'parley-pe3',
    neighbours: [PE3],
    announcements: [announcement],
    overload: true,
  }),
];
