// Certificates and requests as strangers show them: before anything about them is known to be true.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { decodeDer } from '#codec/der.ts';
import { encodePem } from '#codec/pem.ts';
import { readCertificationRequest } from '#codec/pkcs10.ts';
import { readCertificate } from '#codec/x509.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { makeRegistrar } from '#mtls/enrol/registrar-ca.ts';
import { buildRequest, readRequest } from '#mtls/enrol/request.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { partyOf, unknownCritical } from '#mtls/party.ts';
import { generateSigningKey } from '#sign/signer.ts';
import { mutateDer } from '../mutate-der.ts';
import { mustHold, type Parser } from '../parser.ts';

const clock = createSystemClock();

/** Of a node, an operator, a registrar and the domain. */
async function certificates(): Promise<readonly Uint8Array[]> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-fuzz-'));
  try {
    const ca = join(dir, 'ca');
    await initAuthority({ dir: ca, domain: 'lab.example', clock });
    const addresses = ['192.0.2.1', '2001:db8::1'];
    await issueCertificate({
      dir: ca,
      kind: 'node',
      name: 'pe1',
      out: join(dir, 'pe1'),
      dnsNames: ['pe1.lab.example'],
      addresses,
      clock,
    });
    await issueCertificate({ dir: ca, kind: 'operator', name: 'ann', role: 'admin', out: join(dir, 'ann'), clock });
    await makeRegistrar({ dir: ca, name: 'r1', out: join(dir, 'r1'), operators: true, clock });
    const [node, operator] = [await loadIdentity(join(dir, 'pe1')), await loadIdentity(join(dir, 'ann'))];
    return [...node.chain, ...operator.chain].map((der) => Buffer.from(der, 'base64'));
  } finally {
    await rm(dir, { recursive: true });
  }
}

const x509: Parser = {
  name: 'x509',
  inputs: 10_000_000,
  async open() {
    const corpus = await certificates();
    return {
      corpus,
      mutate: (input, random) => mutateDer(input, random, corpus),
      read(input) {
        const fields = readCertificate(input);
        const party = partyOf(input);
        if (!fields.ok) return mustHold(!party.ok, 'what is no certificate names no party');
        unknownCritical(fields.value);
        return encodePem(input, 'CERTIFICATE');
      },
    };
  },
};

const der: Parser = {
  name: 'der',
  inputs: 10_000_000,
  async open() {
    const corpus = await certificates();
    return { corpus, read: decodeDer };
  },
};

const request: Parser = {
  name: 'pkcs10',
  inputs: 10_000_000,
  open() {
    const text = requestText();
    const csr = Buffer.from(JSON.parse(text).csr, 'base64');
    const corpus = [csr];
    return { corpus, mutate: (input, random) => mutateDer(input, random, corpus), read: readCertificationRequest };
  },
};

/** With its keys and both signatures, as a registrar reads it after a proof. */
const enrolmentRequest: Parser = {
  name: 'enrolment-request',
  inputs: 1_000_000,
  open() {
    const body = JSON.parse(requestText());
    const corpus = [Buffer.from(body.csr, 'base64')];
    return {
      corpus,
      mutate: (input, random) => mutateDer(input, random, corpus),
      read: (input) => readRequest(JSON.stringify({ ...body, csr: Buffer.from(input).toString('base64') })),
    };
  },
};

function requestText(): string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return buildRequest({
    kind: 'node',
    name: 'leaf-1',
    serial: 'SN1',
    publicKey,
    privateKey,
    signingKey: generateSigningKey(),
  });
}

export const CERTIFICATES = [x509, der, request, enrolmentRequest];
