// What neighbours and hosts on a link send: LLDP, IS-IS, probes, and the traffic that monitors read.

import { ParleyError } from '#base/error.ts';
import type { Result } from '#base/result.ts';
import { decodeArp, encodeArpProbe } from '#codec/arp.ts';
import { decodeMessage, decodeOffer, encodeDiscover, isReply } from '#codec/dhcp.ts';
import { addressesIn, encodeQuestion, holdsRecord, nameAnswerIn } from '#codec/dns.ts';
import {
  advertisedTarget,
  answersLinkEcho,
  decodeEchoNumbers,
  decodeEchoReply,
  encodeEcho,
  encodeEcho6,
  encodeLinkEcho,
  encodeSolicitation,
} from '#codec/icmp.ts';
import { fletcherChecksum } from '#codec/isis/fletcher.ts';
import { decodeGenericInformation } from '#codec/isis/geninfo.ts';
import { readLspContents } from '#codec/isis/lsp-contents.ts';
import { decodeLspEntries, decodePdu, encodeHello, encodeLsp, encodeSequenceNumbers } from '#codec/isis/pdu.ts';
import { TLV } from '#codec/isis/tlv.ts';
import { withoutPayloads } from '#codec/pcap-headers.ts';
import { decodeSynAnswer, encodeSyn } from '#codec/tcp.ts';
import { decodeDescriptor, encodeDescriptor } from '#discovery/lldp/descriptor.ts';
import { encodeAnnouncement } from '#router/helper/isis/announcement.ts';
import { pduOf } from '#router/helper/isis/speak.ts';
import { createSpeaker, type Speaker } from '#router/helper/isis/speaker.ts';
import { createProbeKeys } from '#router/helper/probe/probe-keys.ts';
import { createReflectorTable } from '#router/helper/probe/reflector-table.ts';
import { dhcpSignIn } from '#router/helper/snoop/dhcp-events.ts';
import { heardIn } from '#router/helper/snoop/requests.ts';
import { askIn, nameAnswerOf, servedIn } from '#router/helper/snoop/services.ts';
import { decodeProbeMessage, encodeProbeMessage } from '#router/protocol/probe-message.ts';
import { joined, mutateBytes } from '../mutate-bytes.ts';
import { mustHold, type Parser } from '../parser.ts';
import type { Random } from '../random.ts';

const DESCRIPTOR = {
  ...{ node: 'p2', port: 9_514, thumbprint: '11'.repeat(32), capabilitiesHash: '33'.repeat(16) },
  addresses: ['2001:db8::2', '198.18.0.2'],
};

const lldp: Parser = {
  name: 'lldp',
  inputs: 10_000_000,
  open() {
    const forms = [
      DESCRIPTOR,
      { ...DESCRIPTOR, nextThumbprint: '22'.repeat(32) },
      { ...DESCRIPTOR, capabilities: ['ietf-srv6-ping', 'parley-peers'] },
    ];
    const corpus = forms.map((form) => made(encodeDescriptor(form)));
    return {
      corpus,
      mutate: (input, random) =>
        random() < 0.3 ? mutateBytes(input, random, corpus) : mutateTlvs(input, 3, random, corpus),
      read(input) {
        const decoded = decodeDescriptor(input);
        if (!decoded.ok) return;
        const again = encodeDescriptor(decoded.value);
        mustHold(again.ok && decodeDescriptor(again.value).ok, 'what was read can be announced');
      },
    };
  },
};

const [OURS, ROUTER] = ['02aabbccdd01', '000000000001'];
const FRAME_HEAD = 17;
const LSP_HEAD = 27;

/** PDUs as the router of a link sends them, and an area behind it. */
function pdus(): readonly Uint8Array[] {
  const threeWay = (state: number) => Uint8Array.from([state, 0, 0, 0, 9, ...Buffer.from(OURS, 'hex'), 0, 0, 0, 7]);
  const hello = (state: number) =>
    made(
      encodeHello({
        circuitType: 2,
        systemId: ROUTER,
        holdSeconds: 30,
        circuitId: 0,
        tlvs: [
          { type: 240, value: threeWay(state) },
          { type: 1, value: Uint8Array.of(3, 0x49, 0, 1) },
        ],
      }),
    );
  const to = (systemId: string) => Uint8Array.from([...Buffer.from(`${systemId}00`, 'hex'), 0, 0, 10, 0]);
  const announced = made(encodeAnnouncement(made(encodeDescriptor(DESCRIPTOR))));
  const lsp = (systemId: string, neighbour: string, sequence: number) =>
    made(
      encodeLsp({
        lspId: `${systemId}0000`,
        sequence,
        lifetimeSeconds: 1_200,
        overload: false,
        tlvs: [
          { type: 137, value: Buffer.from('p2') },
          { type: 22, value: to(neighbour) },
          { type: 251, value: announced },
        ],
      }),
    );
  const lsps = [lsp(ROUTER, OURS, 3), lsp(ROUTER, '000000000002', 4), lsp('000000000002', ROUTER, 1)];
  const entries = lsps.map((each) => ({
    lifetimeSeconds: 1_200,
    lspId: Buffer.from(each.subarray(12, 20)).toString('hex'),
    sequence: 1,
    checksum: 7,
  }));
  const lists = (['csnp', 'psnp'] as const).map((kind) => made(encodeSequenceNumbers(kind, ROUTER, entries)));
  return [hello(1), hello(0), ...lsps, ...lists];
}

const isis: Parser = {
  name: 'isis',
  inputs: 10_000_000,
  open() {
    const corpus = pdus();
    let speaker = newSpeaker(corpus);
    let heard = 0;
    return {
      corpus,
      mutate: (input, random) => mutatePdu(input, random, corpus),
      read(input) {
        const decoded = decodePdu(input);
        if (decoded.ok && decoded.value.kind === 'lsp') readLspContents(decoded.value.contents);
        if (decoded.ok && 'tlvs' in decoded.value) for (const { value } of decoded.value.tlvs) decodeLspEntries(value);
        decodeGenericInformation(input.subarray(LSP_HEAD));
        pduOf(input);
        // A speaker that lives through many of them, as the helper's does; it may end itself, by an error of its own.
        heard += 1;
        if (heard % 500 === 0) speaker = newSpeaker(corpus);
        try {
          speaker.receive(input);
          if (heard % 16 === 0) speaker.tick();
        } catch (error) {
          if (!(error instanceof ParleyError && error.code.startsWith('node/isis'))) throw error;
          speaker = newSpeaker(corpus);
        }
      },
    };
  },
};

function newSpeaker(corpus: readonly Uint8Array[]): Speaker {
  let nowMs = 0;
  const speaker = createSpeaker({
    ...{ systemId: OURS, circuitId: 7, hostname: 'parley-pe1', information: made(encodeDescriptor(DESCRIPTOR)) },
    linkLocal: Uint8Array.from([0xfe, 0x80, ...new Uint8Array(13), 1]),
    clock: { monotonicMs: () => (nowMs += 100), nowMs: () => 1.8e12 + nowMs },
    send: (pdu) => mustHold(pdu.length <= 1_492, 'a PDU fits its link'),
    emit: () => {},
  });
  speaker.tick();
  for (const pdu of corpus) speaker.receive(pdu);
  speaker.tick();
  return speaker;
}

/** With the lengths and the checksum that a change would break: what is behind them is to be reached. */
function mutatePdu(input: Uint8Array, random: Random, corpus: readonly Uint8Array[]): Uint8Array {
  const head = input[1] ?? 8;
  const pdu = random() < 0.5 ? mutateTlvs(input, head, random, corpus) : mutateBytes(input, random, corpus);
  if (random() < 0.1 || pdu.length < LSP_HEAD) return pdu;
  const bytes = Uint8Array.from(pdu);
  const at = (bytes[4]! & 0x1f) === 17 ? FRAME_HEAD : 8;
  bytes.set([bytes.length >> 8, bytes.length & 0xff], at);
  if ((bytes[4]! & 0x1f) !== 20) return bytes;
  const sum = fletcherChecksum(bytes.subarray(12));
  bytes.set([sum >> 8, sum & 0xff], 24);
  return bytes;
}

/** Type, length, value: one of them is changed, doubled, taken out, or given a wrong length. */
function mutateTlvs(input: Uint8Array, head: number, random: Random, corpus: readonly Uint8Array[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = head; at + 2 <= input.length; at += 2 + input[at + 1]!)
    parts.push(input.subarray(at, at + 2 + input[at + 1]!));
  for (let count = 1 + random.below(3); count > 0 && parts.length > 0; count--) {
    const at = random.below(parts.length);
    const part = parts[at]!;
    const way = random();
    if (way < 0.6) {
      const value = mutateBytes(part.subarray(2), random, corpus).subarray(0, 255);
      parts[at] = joined(Uint8Array.of(part[0]!, random() < 0.9 ? value.length : random.below(256)), value);
    } else if (way < 0.75)
      parts.splice(at, 0, ...Array.from({ length: 1 + random.below(random() < 0.9 ? 3 : 200) }, () => part));
    else if (way < 0.9) parts.splice(at, 1);
    else parts[at] = joined(Uint8Array.of(random.pick(Object.values(TLV))), part.subarray(1));
  }
  return joined(input.subarray(0, head), ...parts);
}

const probes: Parser = {
  name: 'probes',
  inputs: 10_000_000,
  open() {
    const clock = { nowMs: () => 0, monotonicMs: () => 0, sleep: () => new Promise<never>(() => {}) };
    const keys = createProbeKeys(clock);
    const question = 'ab'.repeat(8);
    keys.admit({ question, key: '5a'.repeat(32) });
    const session = '0123456789abcdef';
    const counts = { sequence: 3, reflectorSequence: 0, reflectorReceived: 0, reflectorRefused: 0 };
    const proof = keys.proofOf(question, session)!;
    const corpus = (['probe', 'reflection', 'query', 'status', 'refusal'] as const).flatMap((kind) => [
      encodeProbeMessage({ kind, session, ...counts }),
      encodeProbeMessage({ kind, session, ...counts, timed: true, proof }, 1_400),
    ]);
    const table = createReflectorTable({ isProven: keys.isProven, isNeighbour: (address) => address.endsWith('1') });
    let nowMs = 0;
    return {
      corpus,
      read(input, random) {
        decodeProbeMessage(input);
        nowMs += random.below(2);
        const answer = table.reflect(
          `2001:db8::${random.below(50)}`,
          input,
          nowMs,
          () => nowMs * 1_000,
          () => nowMs,
        );
        if (answer === undefined) return;
        mustHold(answer.length === input.length, 'nothing is amplified');
        const said = decodeProbeMessage(answer);
        mustHold(said.ok && said.value.kind !== 'probe' && said.value.kind !== 'query', 'no answer is answered');
      },
    };
  },
};

const hosts: Parser = {
  name: 'hosts',
  inputs: 10_000_000,
  open() {
    const mac = Uint8Array.of(2, 0, 0, 0, 1, 3);
    const [own, far] = [
      Uint8Array.from(Buffer.from('fe80000000000000000000000000001f', 'hex')),
      Uint8Array.from(Buffer.from('20010db8000000000000000000000002', 'hex')),
    ];
    const answer = Buffer.from(
      '1234858000010001000000000377777703' + '6c6162076578616d706c650000010001c00c000100010000000000' + '04c0000250',
      'hex',
    );
    const relay = Uint8Array.of(198, 19, 1, 1);
    const udp = (source: number, to: number, payload: Uint8Array) =>
      joined(
        Buffer.from('0200000000020200000000010800' + '4500004c0000000040110000c6120001c6120002', 'hex'),
        Uint8Array.of(source >> 8, source & 0xff, to >> 8, to & 0xff, 0, 0, 0, 0),
        payload,
      );
    const packet = udp(53, 4_000, answer);
    const pcap = joined(
      Buffer.from('d4c3b2a1020004000000000000000000000004000100'.padEnd(48, '0'), 'hex'),
      pcapHead(packet.length),
      packet,
    );
    const discover = encodeDiscover(7, mac, relay, relay);
    const syn = encodeSyn({ source: own, destination: far }, { from: 4_000, to: 179 }, 1);
    const corpus = [
      ...[encodeArpProbe(mac, '198.18.0.2'), discover, answer, encodeQuestion(0x1234, 'www.lab.example')],
      ...[encodeEcho(7, 1), encodeEcho6(7, 1), encodeLinkEcho(mac, own, 7), encodeSolicitation(mac, own, far)],
      ...[packet, udp(68, 67, discover), udp(67, 68, discover), pcap, syn],
    ];
    return {
      corpus,
      read(input) {
        decodeArp(input);
        isReply(input);
        decodeOffer(input);
        decodeMessage(input);
        holdsRecord(input, 0x1234);
        mustHold(addressesIn(input, 0x1234, 8).length <= 8, 'as many addresses as were asked for');
        nameAnswerIn(input);
        decodeEchoReply(input, 7);
        answersLinkEcho(input, 7);
        advertisedTarget(input);
        decodeSynAnswer(input);
        decodeEchoNumbers(input);
        mustHold(
          withoutPayloads(input).length <= input.length,
          'a capture without payloads is no longer than one with them',
        );
        for (const read of [servedIn, nameAnswerOf, askIn, dhcpSignIn, heardIn]) read(input);
      },
    };
  },
};

function pcapHead(bytes: number): Uint8Array {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(bytes, 8);
  head.writeUInt32LE(bytes, 12);
  return head;
}

function made(result: Result<Uint8Array>): Uint8Array {
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

export const LINKS = [lldp, isis, probes, hosts];
