// The operation `isis-speak`: socket, frames and clock around the speaker. Ends with its connection, and purges its LSP
// before it ends, however it ends; a helper that is killed leaves its LSP to the holding time of the adjacency, after which
// no system can reach the speaker and every reader drops it.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { IsisEvent, IsisSpeakRequest } from '#model/router/router-port.ts';
import { loadLibc, type PacketSocket } from '../../native/libc.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { readSpeakerLink, type SpeakerLink } from './link.ts';
import { createSpeaker, type Speaker } from './speaker.ts';

/** Speakers that run in this process, by the router's end of their pair. */
export type Speakers = Map<string, Speaker>;

/** Where routers listen: all intermediate systems on a point-to-point circuit (RFC 5309), and all of level 2. */
const ALL_IS = Uint8Array.of(0x09, 0x00, 0x2b, 0x00, 0x00, 0x05);
const ALL_LEVEL_2 = Uint8Array.of(0x01, 0x80, 0xc2, 0x00, 0x00, 0x15);
/** LLC header of ISO network layer protocols. */
const LLC = Uint8Array.of(0xfe, 0xfe, 0x03);
const ETHERNET_BYTES = 14;
const PDU_AT = ETHERNET_BYTES + LLC.length;

export async function speakIsis(
  request: IsisSpeakRequest,
  parts: { readonly clock: Clock; readonly speakers: Speakers },
  emit: (event: IsisEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const { clock, speakers } = parts;
  const link = await readSpeakerLink(request.ifname, signal);
  const socket = (await loadLibc()).openPacket(link.ifindex, [ALL_IS, ALL_LEVEL_2]);
  if ('refused' in socket)
    throw new ParleyError(
      'node/isis-not-permitted',
      `expected a packet socket on ${link.ifname}, got ${socket.refused}`,
    );
  try {
    const speaker = createSpeaker({
      ...request,
      circuitId: link.ifindex,
      linkLocal: link.linkLocal,
      hostname: `parley-${request.node}`,
      clock,
      send: (pdu) => sendPdu(socket, link, pdu),
      emit,
    });
    speakers.set(request.ifname, speaker);
    try {
      while (!signal.aborted) {
        receiveAll(socket, speaker);
        speaker.tick();
        await clock.sleep(HELPER_LIMITS.isisPollMs, signal).catch(() => {});
      }
    } finally {
      speakers.delete(request.ifname);
      await leave(socket, speaker, clock);
    }
  } finally {
    socket.close();
  }
}

/** Purges until the router has acknowledged it, for a short time. A link that is gone needs no purge. */
async function leave(socket: PacketSocket, speaker: Speaker, clock: Clock): Promise<void> {
  const lastMs = clock.monotonicMs() + HELPER_LIMITS.isisPurgeMs;
  try {
    while (!speaker.leave() && clock.monotonicMs() < lastMs) {
      await clock.sleep(HELPER_LIMITS.isisPollMs);
      receiveAll(socket, speaker);
    }
    speaker.farewell();
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
  }
}

function receiveAll(socket: PacketSocket, speaker: Speaker): void {
  for (let count = 0; count < HELPER_LIMITS.isisFramesPerPoll; count++) {
    const frame = socket.receive();
    if (frame === undefined) return;
    const pdu = pduOf(frame);
    if (pdu !== undefined) speaker.receive(pdu);
  }
}

/** The PDU of an 802.3 frame with an ISO LLC header: spanning tree and others share the EtherType. */
export function pduOf(frame: Uint8Array): Uint8Array | undefined {
  if (frame.length < PDU_AT || !LLC.every((octet, index) => frame[ETHERNET_BYTES + index] === octet)) return undefined;
  const end = ETHERNET_BYTES + ((frame[12]! << 8) | frame[13]!);
  return end < PDU_AT || end > frame.length ? undefined : frame.subarray(PDU_AT, end);
}

function sendPdu(socket: PacketSocket, link: SpeakerLink, pdu: Uint8Array): void {
  const length = pdu.length + LLC.length;
  const frame = Uint8Array.from([...ALL_IS, ...link.mac, length >> 8, length & 0xff, ...LLC, ...pdu]);
  const outcome = socket.send(frame);
  if (outcome.kind === 'sent') return;
  const why = outcome.kind === 'busy' ? 'its queue is full' : outcome.reason;
  throw new ParleyError(
    'node/isis-interface',
    `expected ${link.ifname} to take a frame, the kernel refused it: ${why}`,
  );
}
