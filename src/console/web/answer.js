// An answer: the verdict, the sentence, the path as a picture, findings with their remedies, what each segment lost, the report.
import { reportPath } from './agent.js';
import { changesView } from './changes.js';
import { h } from './dom.js';
import { linksPicture } from './links-picture.js';
import { networkPicture } from './network-picture.js';
import { isPathKnown, pathPicture } from './path-picture.js';
import { proofView } from './proof.js';
import { remedyView } from './remedy.js';
import { silenceOf, silenceView } from './silence.js';
import { whenView } from './when.js';
import { spelling, unbroken, verdictBadge, visible } from './words.js';

/** `answer`: of the agent, or a report as it was signed. `here`: what the page knows of this node; without it nothing can be applied or asked again. */
export function answerView(answer, here) {
  const { verdict, findings, segments, remarks = [], changes, table, silenced = [] } = answer;
  const own = answer.creator ?? here?.node;
  const silence = silenceOf(answer.outcomes ?? [], own);
  return h(
    'section',
    { class: 'answer', 'aria-label': 'Answer' },
    understoodView(answer.intent ?? {}),
    verdictLine(answer, here),
    h('h2', { class: 'sentence' }, unbroken(answer.sentence)),
    answer.sentenceSource === 'model' &&
      h('p', { class: 'small' }, 'Phrased by the local language model; decided by rules.'),
    pictureOf(answer, silence, own),
    findings.map((finding) => findingView(finding, answer, here)),
    silenced.length > 0 && meantView(silenced),
    table !== undefined && tableView(table),
    changes !== undefined && changesView(changes, verdict.kind === 'fault' ? [] : verdict.reasons),
    verdict.kind !== 'fault' && reasonsView(verdict),
    remarks.length > 0 && remarksView(remarks),
    silenceView(silence),
    verdict.kind === 'inconclusive' && nextView(silence, answer, here),
    segments.length > 0 && segmentTable(segments, answer.intent.path),
    reportView(answer),
  );
}

/** A path of which nothing was measured or accused shows less than the links do. */
function pictureOf(answer, { silent }, own) {
  const path = pathPicture(answer);
  if (path !== undefined && isPathKnown(answer)) return path;
  return linksPicture(answer) ?? networkPicture(answer, silent, own) ?? path;
}

/** The verdict, when it was made, and a way to have a newer one. */
function verdictLine(answer, here) {
  const { verdict, created } = answer;
  return h(
    'div',
    { class: 'verdict-line' },
    h('p', { class: 'verdict' }, verdictBadge(verdict.kind)),
    created !== undefined && h('p', { class: 'small' }, 'Answered ', whenView(created)),
    verdict.kind !== 'inconclusive' && askAgain(answer, here),
  );
}

function askAgain({ intent }, here) {
  if (here?.ask === undefined || intent?.text === undefined) return false;
  return h('button', { type: 'button', class: 'quiet', onclick: () => here.ask(intent.text) }, 'Ask again');
}

/** What the question was understood as, and which of its words were not used. */
function understoodView({ understoodAs, notUsed = [], byModel = false }) {
  if (understoodAs === undefined) return false;
  const by = byModel ? ', read by the language model' : '';
  const rest = notUsed.length === 0 ? '' : `; not used: ${notUsed.join(', ')}`;
  return h('p', { class: 'small understood' }, `Understood as: ${understoodAs}${by}${rest}`);
}

/** What nodes say of themselves, where data was asked for. */
function tableView({ title, columns, rows, left, notKnown = [] }) {
  return h(
    'section',
    { class: 'reasons' },
    h('h3', {}, title),
    rows.length > 0 &&
      h(
        'div',
        { class: 'table', tabindex: '0', role: 'region', 'aria-label': title },
        h(
          'table',
          {},
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              columns.map((name) => h('th', { scope: 'col' }, name)),
            ),
          ),
          h(
            'tbody',
            {},
            rows.map((cells) =>
              h(
                'tr',
                {},
                cells.map((cell) => h('td', {}, cell)),
              ),
            ),
          ),
        ),
      ),
    left > 0 && h('p', { class: 'small' }, `${left} more than an answer holds.`),
    notKnown.length > 0 &&
      h(
        'ul',
        { class: 'not-known' },
        notKnown.map((line) => h('li', {}, line)),
      ),
  );
}

function findingView(finding, answer, here) {
  const { resource, fault, confidence, remedy, hypothesis } = finding;
  return h(
    'section',
    { class: 'finding' },
    h('h3', {}, unbroken(hypothesis)),
    h(
      'dl',
      {},
      row('resource', h('code', {}, resource)),
      row('fault', h('code', {}, fault)),
      row('confidence', confidence),
      remedy && row('remedy', remedy.summary),
    ),
    remedy?.command &&
      h('pre', { tabindex: '0', 'aria-label': `Command for ${remedy.node}` }, h('code', {}, remedy.command)),
    remedy && remedyView(finding, answer, here),
  );
}

function row(name, value) {
  return h('div', {}, h('dt', {}, name), h('dd', {}, value));
}

/** Findings that operators said are meant: shown, and accused of nothing. */
function meantView(silenced) {
  const lines = silenced.map(({ text }) => h('li', {}, text));
  return h('section', { class: 'reasons' }, h('h3', {}, 'Meant, as operators said'), h('ul', {}, lines));
}

/** Odd, and no fault. */
function remarksView(remarks) {
  const lines = remarks.map(({ text }) => h('li', {}, text));
  return h('section', { class: 'reasons remarks' }, h('h3', {}, 'Odd, and no fault'), h('ul', {}, lines));
}

function reasonsView({ kind, reasons }) {
  const title = { healthy: 'What proves it', answered: 'What is remembered' }[kind] ?? 'What was missing';
  return h(
    'section',
    { class: 'reasons' },
    h('h3', {}, title),
    h(
      'ul',
      {},
      reasons.map((reason) => h('li', {}, reason)),
    ),
  );
}

/** What an operator does after an answer that decides nothing. */
function nextView(silence, answer, here) {
  return h(
    'section',
    { class: 'next' },
    h('h3', {}, 'What to do next'),
    h('p', {}, nextWords(silence)),
    askAgain(answer, here),
  );
}

function nextWords({ silent, partly }) {
  const names = silent.map(({ node }) => visible(node)).join(', ');
  if (silent.length > 0)
    return `See that the agent of ${names} runs and can be reached: “parley doctor” there says what is wrong with it, “Peers” above shows its address. Then ask again.`;
  if (partly.some(({ status }) => status === 'timed-out'))
    return 'The nodes answered, but not every call in time: a router may be busy. Ask again in a minute.';
  return 'The nodes answered; what was missing stands above. Ask again. If the same is missing then, ask about one part: “Verify packet loss between” two of the nodes.';
}

function segmentTable(segments, path) {
  const spelled = spelling(path);
  const head = ['segment', 'loss', 'lost', 'probes', 'sent by', 'counters of both ends'];
  return h(
    'div',
    { class: 'table segments', tabindex: '0', role: 'region', 'aria-label': 'Loss of each segment' },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          head.map((name) => h('th', { scope: 'col' }, name)),
        ),
      ),
      h(
        'tbody',
        {},
        segments.map((segment) => segmentRow(segment, spelled)),
      ),
    ),
  );
}

function segmentRow(segment, spelled) {
  const { from, to, ifname, probesSent, probesLost, lossPercent, counters } = segment;
  const cells = [`${lossPercent} %`, probesLost, probesSent, ifname ?? 'whole path'];
  return h(
    'tr',
    { class: lossPercent > 0 ? 'lossy' : undefined },
    h('th', { scope: 'row' }, `${spelled(from)} → ${spelled(to)}`),
    cells.map((cell) => h('td', {}, unbroken(String(cell)))),
    counters ? counterView(counters, probesLost > 0) : h('td', {}, '–'),
  );
}

/** As the terminal has it; a narrow window shows the second part alone. The two ends are read at slightly different moments, which is the error. */
function counterView({ lostAtLeast, lostAtMost, txPackets, rxPackets }, isLossy) {
  const numbers = rxPackets === undefined ? `tx ${txPackets}: ` : `tx ${txPackets}, rx ${rxPackets}: `;
  const words = () => {
    if (lostAtLeast > 0) return `${lostAtLeast} to ${lostAtMost} lost`;
    if (rxPackets === undefined) return `no loss, ± ${lostAtMost}`;
    // Where probes were lost, counters that are too coarse contradict nothing.
    if (isLossy) return 'too coarse to tell';
    return txPackets === rxPackets ? 'equal' : 'within error';
  };
  return h('td', {}, h('span', { class: 'wide-only' }, numbers), words());
}

/** A report says neither how long it took nor what it cost. */
function costText({ timings, cost }) {
  if (timings === undefined) return undefined;
  const { calls, probePackets, probeBytes } = cost;
  const took = `${Math.round(timings.totalMs)} ms on the agent, ${Math.round(timings.probingMs)} ms of them probing.`;
  return `${took} ${calls} calls, ${probePackets} probe packets of ${Math.round(probeBytes / 1_000)} kB in all.`;
}

function reportView(answer) {
  return h(
    'footer',
    { class: 'report' },
    h(
      'div',
      { class: 'report-line' },
      proofView(answer.id, answer),
      h('a', { href: reportPath(answer.id), download: '' }, 'Download the signed report'),
    ),
    h(
      'p',
      { class: 'urn' },
      answer.notStored ? `report not stored, ${answer.notStored}` : ['Report ', h('code', {}, answer.id)],
    ),
    h('p', { class: 'small' }, costText(answer)),
  );
}
