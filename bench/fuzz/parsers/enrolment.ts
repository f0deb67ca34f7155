// What a stranger sends to a registrar, and a stranger in the registrar's place to a node: messages, and the shares of SPAKE2+.
import { systemRandom } from '#base/random.ts';
import { encodeHex } from '#codec/hex.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { parseCode } from '#mtls/enrol/code.ts';
import { idsOf } from '#mtls/enrol/context.ts';
import { answerToHello, answerToProof, helloSchema, proofSchema } from '#mtls/enrol/messages.ts';
import { respond, secretsFrom, startProver, verifierOf, WIDE_SECRETS_BYTES } from '#mtls/enrol/spake2plus.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { mutateJson } from '../mutate-json.ts';
import { mustHold, type Parser } from '../parser.ts';

const messages: Parser = {
  name: 'enrolment-messages',
  inputs: 10_000_000,
  open() {
    const [share, digest] = ['04'.padEnd(130, 'a'), '5a'.repeat(32)];
    const corpus = [
      { type: 'hello', version: 1, code: 'K7QM3', requestSha256: digest, shareP: share },
      { type: 'challenge', shareV: share, confirmV: digest },
      { type: 'proof', confirmP: digest, request: '{"type":"request"}' },
      { type: 'certificate', requestSha256: digest, chain: ['AAAA', 'BBBB'], ca: 'CCCC', timeMs: 1_800_000_000_000 },
      { type: 'refusal', reason: 'wrong-code', detail: 'no' },
    ].map((value) => Buffer.from(JSON.stringify(value)));
    const BOUNDS = { depth: 4, arrayItems: 16, values: 64 };
    return {
      corpus,
      mutate: (input, random) => mutateJson(input, random, corpus),
      read(input) {
        const decoded = decodeStrictJson(input, BOUNDS);
        parseCode(Buffer.from(input.subarray(0, 40)).toString('latin1'));
        if (!decoded.ok) return;
        for (const schema of [helloSchema, proofSchema, answerToHello, answerToProof]) schema.safeParse(decoded.value);
      },
    };
  },
};

const spake2: Parser = {
  name: 'spake2plus',
  inputs: 1_000_000,
  open() {
    const secrets = secretsFrom(systemRandom.bytes(WIDE_SECRETS_BYTES));
    const [ids, context, verifier] = [idsOf('K7QM3'), new Uint8Array(32), verifierOf(secrets)];
    const prover = startProver(ids, secrets, systemRandom);
    const answered = respond({ ...ids, context }, verifier, prover.shareP, systemRandom);
    mustHold(answered.ok, 'an honest run is answered');
    const points = Array.from({ length: 64 }, () => startProver(ids, secrets, systemRandom).shareP);
    const infinity = new Uint8Array(65);
    const compressed = Uint8Array.from([2, ...prover.shareP.subarray(1, 33)]);
    const corpus = [prover.shareP, ...(answered.ok ? [answered.value.shareV] : []), infinity, compressed];
    return {
      corpus,
      // Half of them are points: another's share, or the other root.
      mutate(input, random) {
        if (random() < 0.5) return mutateBytes(input, random, corpus);
        const point = Uint8Array.from(random.pick(points));
        if (random() < 0.5) point[64]! ^= 1 << random.below(8);
        return point;
      },
      read(input, random) {
        if (random() < 0.5) return prover.finish(context, input);
        const run = respond({ ...ids, context }, verifier, input, systemRandom);
        if (run.ok)
          mustHold(encodeHex(run.value.confirmV) !== encodeHex(run.value.confirmP), 'both confirmations differ');
        return run;
      },
    };
  },
};

export const ENROLMENT = [messages, spake2];
