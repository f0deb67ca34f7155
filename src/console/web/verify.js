// Verifies a report's creator signature in the browser with the agent's own portable verifier, and that what is shown is what was
// signed (CARD-6, TS-16). Does not check who issued the certificate: `parley report verify` does, with the CA's certificate.

import { hexOf, readCertificate } from './certificate.js';
import { gapsOf } from './model/reports/report-gaps.js';
import { verifyPortable } from './sign/portable/ed25519.js';
import { preAuthEncoding } from './sign/portable/pae.js';

const REPORT_TYPE = 'parley/report/v1';
const KEY_ID_BYTES = 16;
/** What an answer shows and a report signs. */
const SHOWN = [
  'id',
  'uri',
  'created',
  'intent',
  'verdict',
  'hypothesis',
  'sentence',
  'findings',
  'silenced',
  'segments',
];

/** `{ ok: true, node, keyId, digest, gaps, report }` or `{ ok: false, reason }`; `gaps`: what the report leaves out by its own words. `shown`: the answer on the page, if there is one. */
export async function verifyReport(bytes, shown) {
  try {
    return await verified(bytes, shown);
  } catch (error) {
    return { ok: false, reason: error.message };
  }
}

async function verified(bytes, shown) {
  const sealed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  const { payloadType, payload, signature } = sealed.report;
  if (payloadType !== REPORT_TYPE) throw new Error(`expected a report, got ${payloadType}`);
  const { node, signingKey } = readCertificate(bytesOf(sealed.creatorChain[0]));
  const signed = bytesOf(payload);
  if (!(await verifyPortable(bytesOf(signature), preAuthEncoding(payloadType, signed), signingKey)))
    throw new Error('the signature does not fit the report');
  const report = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(signed));
  if (report.creator !== node) throw new Error(`signed by ${node}, but made in the name of ${report.creator}`);
  if (!same(report.chains[node], sealed.creatorChain))
    throw new Error('the certificate is not the one that was signed');
  const other = SHOWN.find((name) => shown !== undefined && !same(report[name], shown[name]));
  if (other !== undefined) throw new Error(`the report signs another ${other} than the one shown`);
  return {
    ok: true,
    node,
    keyId: (await sha256(signingKey)).slice(0, KEY_ID_BYTES * 2),
    digest: await sha256(bytes),
    gaps: gapsOf(report),
    report,
  };
}

async function sha256(bytes) {
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** Equal as JSON values, whatever the order of members. */
function same(one, other) {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}
