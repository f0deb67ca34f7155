// The two dialogs, of peers and of reports, and a report opened in the page.
import { getJson, getReportBytes, reportPath } from './agent.js';
import { answerView } from './answer.js';
import { h, replace } from './dom.js';
import { prove } from './proof.js';
import { verifyReport } from './verify.js';
import { whenView } from './when.js';
import { nodeKey, verdictBadge, visible } from './words.js';

const SOURCE_NAMES = { lldp: 'LLDP', isis: 'IS-IS', static: 'the configuration', 'peer-exchange': 'another node' };

export async function showPeers(body) {
  await fill(body, '/console/peers', ({ peers, remarks = [] }) => [
    peers.length === 0 && h('p', {}, 'This node knows no other node with an address.'),
    h(
      'ul',
      { class: 'list' },
      peers.map((peer) => peerView(peer, remarks)),
    ),
    remarks.length > 0 && h('h3', {}, 'What is odd'),
    remarks.length > 0 && h('ul', { class: 'list' }, remarks.map(remarkView)),
  ]);
}

/** That a certificate was once shown says nothing of now: the overview says who answers. */
function peerView({ node, addresses, port, verified, sources = [] }, remarks) {
  const isSilent = remarks.some((each) => each.kind === 'silent' && nodeKey(each.node) === nodeKey(node));
  const [mark, how] = isSilent
    ? ['badge-fault', 'did not answer']
    : verified
      ? ['badge-plain', 'authenticated']
      : ['badge-inconclusive', 'only heard of'];
  const where = addresses.map((address) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`));
  const from = sources.map((source) => SOURCE_NAMES[source] ?? visible(source)).join(', ');
  return h(
    'li',
    {},
    h('strong', {}, visible(node)),
    h('span', { class: `badge ${mark}` }, how),
    from !== '' && h('span', { class: 'small' }, `known from ${from}`),
    h('code', { class: 'wide' }, where.join(', ')),
  );
}

function remarkView({ node, kind, detail }) {
  return h(
    'li',
    {},
    h('strong', {}, visible(node)),
    h('span', { class: 'badge badge-inconclusive' }, visible(kind)),
    h('span', { class: 'wide' }, visible(detail)),
  );
}

/** The report as this node keeps it, if its signature stands; rejects where it does not, or is kept no more. */
export async function fetchVerified(id) {
  const proof = await verifyReport(await getReportBytes(id));
  if (!proof.ok) throw new Error(`The report does not verify: ${proof.reason}`);
  if (proof.report.id !== id) throw new Error('The node gave another report than this one.');
  return proof.report;
}

/** `here`: as of an answer. */
export async function showReport(body, id, here) {
  const back = h(
    'button',
    { type: 'button', class: 'quiet', onclick: () => void showReports(body, here) },
    '← All reports',
  );
  replace(body, back, h('p', { role: 'status' }, 'Fetching the report …'));
  try {
    const report = await fetchVerified(id);
    const asked = h('p', { class: 'small' }, `Asked: ${report.intent.text}`);
    replace(body, back, asked, answerView(report, here));
    back.focus();
  } catch (error) {
    replace(body, back, h('p', { role: 'alert' }, error.message));
  }
}

export async function showReports(body, here) {
  await fill(body, '/console/reports', ({ reports, nextCursor }) => [
    reports.length === 0 && h('p', {}, 'No reports yet. Ask a question.'),
    h(
      'ul',
      { class: 'list' },
      reports.map((each) => summaryView(each, () => void showReport(body, each.id, here))),
    ),
    nextCursor !== undefined && h('p', { class: 'small' }, 'Older ones: parley report list'),
  ]);
}

function summaryView({ id, created, verdict, sentence, intent }, open) {
  const proof = h('div', { class: 'proof' });
  const check = h('button', { type: 'button', class: 'quiet', onclick: () => void prove(proof, id) }, 'Verify');
  return h(
    'li',
    {},
    verdictBadge(verdict),
    h('span', { class: 'small' }, whenView(created)),
    h('span', { class: 'wide' }, sentence),
    h('span', { class: 'small wide' }, intent),
    h('button', { type: 'button', class: 'quiet', onclick: open }, 'Open'),
    check,
    h('a', { href: reportPath(id), download: '' }, 'Download'),
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
