// The badge that says whether a report verifies in this browser, and what is not proven.
import { getReportBytes } from './agent.js';
import { h, replace } from './dom.js';
import { verifyReport } from './verify.js';
import { visible } from './words.js';

/** Starts at once where there is an answer to compare with. */
export function proofView(id, shown) {
  const place = h('div', { class: 'proof' }, 'verifying …');
  void prove(place, id, shown);
  return place;
}

export async function prove(place, id, shown) {
  replace(place, 'verifying …');
  const proof = await getReportBytes(id).then(
    (bytes) => verifyReport(bytes, shown),
    (error) => ({ ok: false, reason: error.message }),
  );
  if (!proof.ok) {
    replace(
      place,
      h('span', { class: 'badge badge-fault' }, '✕ does not verify'),
      h('p', { class: 'small' }, proof.reason),
    );
    return;
  }
  const { gaps } = proof;
  const badge =
    gaps.length === 0
      ? h('span', { class: 'badge badge-healthy' }, '✓ verified in this browser')
      : h(
          'span',
          { class: 'badge badge-inconclusive' },
          `signed; ${gaps.length} ${gaps.length === 1 ? 'part is' : 'parts are'} not proven`,
        );
  const said = shown === undefined ? '' : ' What you see here is what it signed.';
  replace(
    place,
    h(
      'details',
      {},
      h('summary', {}, badge),
      gaps.length > 0 &&
        h(
          'ul',
          { class: 'small' },
          gaps.map((gap) => h('li', {}, `not proven: ${gap}`)),
        ),
      h('p', { class: 'small' }, `Signed by ${proof.node}; the Ed25519 signature was checked by this page.${said}`),
      proof.report.uri !== undefined && h('p', { class: 'small' }, 'Report ', h('code', {}, visible(proof.report.uri))),
      h('p', { class: 'small' }, 'Key ', h('code', {}, proof.keyId), ', file SHA-256 ', h('code', {}, proof.digest)),
      h(
        'p',
        { class: 'small' },
        'Not checked here: who issued the certificate, and what the other nodes signed. Any computer with the CA certificate can: ',
        h('code', {}, `parley report verify parley-report-${id}.json --ca ca.pem`),
      ),
    ),
  );
}
