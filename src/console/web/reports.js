// The two dialogs (peers, reports) and the badge that says whether a report verifies in this browser.
import { getJson, getReportBytes, reportPath } from './agent.js';
import { h, replace } from './dom.js';
import { verifyReport } from './verify.js';
import { verdictBadge } from './words.js';

/** Starts at once where there is an answer to compare with. */
export function proofView(id, shown) {
  const place = h('div', { class: 'proof' }, 'verifying …');
  void prove(place, id, shown);
  return place;
}

async function prove(place, id, shown) {
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
          `signed, but ${gaps.length} parts are missing or of another time`,
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

export async function showPeers(body) {
  await fill(body, '/console/peers', ({ peers, remarks }) => [
    peers.length === 0 && h('p', {}, 'This node knows no other node with an address.'),
    h('ul', { class: 'list' }, peers.map(peerView)),
    remarks?.length > 0 && h('h3', {}, 'What is odd'),
    remarks?.length > 0 && h('ul', { class: 'list' }, remarks.map(remarkView)),
  ]);
}

function peerView({ node, addresses, port, verified, hops }) {
  const how = verified ? 'authenticated' : 'only heard of';
  const where = addresses.map((address) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`));
  return h(
    'li',
    {},
    h('strong', {}, node),
    h('span', { class: `badge ${verified ? 'badge-healthy' : 'badge-inconclusive'}` }, how),
    h('span', { class: 'small' }, `${hops} ${hops === 1 ? 'hop' : 'hops'}`),
    h('code', { class: 'wide' }, where.join(', ')),
  );
}

function remarkView({ node, kind, detail }) {
  return h(
    'li',
    {},
    h('strong', {}, node),
    h('span', { class: 'badge badge-inconclusive' }, kind),
    h('span', { class: 'wide' }, detail),
  );
}

export async function showReports(body) {
  await fill(body, '/console/reports', ({ reports, nextCursor }) => [
    reports.length === 0 && h('p', {}, 'No reports yet. Ask a question.'),
    h('ul', { class: 'list' }, reports.map(summaryView)),
    nextCursor !== undefined && h('p', { class: 'small' }, 'Older ones: parley report list'),
  ]);
}

function summaryView({ id, created, verdict, sentence, intent }) {
  const proof = h('div', { class: 'proof' });
  const check = h('button', { type: 'button', class: 'quiet', onclick: () => void prove(proof, id) }, 'Verify');
  return h(
    'li',
    {},
    verdictBadge(verdict),
    h('time', { class: 'small', datetime: created }, new Date(created).toLocaleString()),
    h('span', { class: 'wide' }, sentence),
    h('span', { class: 'small wide' }, intent),
    h('a', { href: reportPath(id), download: '' }, 'Download'),
    check,
    proof,
  );
}

async function fill(body, path, view) {
  replace(body, h('p', {}, 'Asking this node …'));
  try {
    replace(body, ...view(await getJson(path)).flat());
  } catch (error) {
    replace(body, h('p', { role: 'alert' }, error.message));
  }
}
