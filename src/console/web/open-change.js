// A change that runs and is not confirmed: the same question is asked again until the fault is gone or a minute is over, then the change is kept
// or rolled back. It can be rolled back at any time, also after a reload; without this page it undoes itself at its deadline.
import { ask, call } from './agent.js';
import { diffView } from './consent-view.js';
import { h, replace } from './dom.js';
import { whyNotHelped } from './model/reports/remedy-judge.js';
import { clockWords, visible } from './words.js';

const PROOF_MS = 60_000;
const PAUSE_MS = 2_000;
const TICK_MS = 1_000;

/** `start`: asks again at once. */
export function openChangeView(open, here, { start }) {
  const drawn = drawOpenChange(open);
  const { view, left, again, back } = drawn;
  const course = { open, here, drawn, stopper: new AbortController(), isSettled: false };
  back.addEventListener('click', () => void rollBack(course, 'you rolled it back'));
  again.addEventListener('click', () => void prove(course));
  const tick = () => {
    const leftMs = open.endsMs - Date.now();
    replace(left, clockWords(leftMs));
    if (course.isSettled) return;
    if (leftMs <= 0) return end(course, 'Its time is over: the router has undone the change by itself.', 'undone');
    setTimeout(tick, TICK_MS);
  };
  tick();
  if (start) void prove(course);
  return view;
}

function drawOpenChange({ node, commit, changes, warning }) {
  const status = h('p', { role: 'status' }, 'The change runs, unconfirmed.');
  const left = h('strong', { class: 'left', role: 'timer' });
  const again = h('button', { type: 'button', class: 'main' }, 'Ask again, keep it if it has helped');
  const back = h('button', { type: 'button', class: 'stop' }, 'Roll back now');
  const choices = h('div', { class: 'choices' }, again, back);
  const words = [`A change of ${node}, commit ${commit}. It undoes itself in `, left, ' unless it is confirmed.'];
  const deadline = h('p', { class: 'small' }, words);
  const warned = warning && h('p', { class: 'small' }, `What the router could not check: ${visible(warning)}`);
  const title = h('h4', {}, 'This change runs');
  const view = h(
    'section',
    { class: 'open-change', 'aria-label': `Open change of ${node}` },
    title,
    diffView(changes),
    status,
    warned,
    deadline,
    choices,
  );
  return { view, title, status, left, again, back, choices, deadline };
}

/** Asks until the fault is gone or a minute is over; then the change is kept or rolled back. */
async function prove(course) {
  const { open, here, drawn, stopper } = course;
  drawn.again.hidden = true;
  const endMs = Date.now() + PROOF_MS;
  const remedy = { report: open.report, finding: open.finding, node: open.node, commit: open.commit };
  const onProgress = ({ message }) => replace(drawn.status, `Asking again: ${visible(message)}`);
  for (;;) {
    const { answer, reasons } = await once(open, remedy, { onProgress, signal: stopper.signal });
    if (stopper.signal.aborted) return;
    const isOver = reasons.length === 0 || Date.now() >= endMs;
    if (isOver && answer !== undefined) here.addAnswer(`${open.intent} (asked again after the change)`, answer);
    if (reasons.length === 0) return keep(course);
    if (isOver) return rollBack(course, `it has not helped: ${reasons.map(visible).join('; ')}`);
    replace(drawn.status, `Not yet: ${reasons.map(visible).join('; ')}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (stopper.signal.aborted) return;
  }
}

async function keep(course) {
  try {
    const { warning } = await call('network.commit', { confirm: true, 'persist-id': course.open.persist });
    const kept = 'Kept: the fault is gone, and the change is confirmed.';
    end(course, warning === undefined ? kept : `${kept} ${visible(warning)}`, 'kept');
  } catch (error) {
    await rollBack(course, `it could not be confirmed (${visible(error.message)})`);
  }
}

async function rollBack(course, why) {
  const { open, drawn, stopper } = course;
  stopper.abort();
  drawn.back.disabled = true;
  replace(drawn.status, 'Rolling back …');
  try {
    await call('network.rollback', { 'persist-id': open.persist });
    end(course, `Rolled back: ${why}.`, 'undone');
  } catch (error) {
    drawn.back.disabled = false;
    if (error.detail?.data?.errorCode === 'caller/no-commit')
      return end(course, 'The router has no open change any more: it was undone or confirmed before.', 'undone');
    const rest = 'Unless it was confirmed, the router undoes the change by itself.';
    replace(drawn.status, `The rollback was not answered: ${visible(error.message)}. ${rest}`);
  }
}

function end(course, text, kind) {
  const { view, title, status, choices, deadline } = course.drawn;
  course.isSettled = true;
  course.stopper.abort();
  course.here.kept.forgetChange();
  view.classList.add(kind);
  replace(title, kind === 'kept' ? 'This change was kept' : 'This change was undone');
  choices.remove();
  deadline.remove();
  replace(status, text);
}

async function once({ intent, before, finding }, remedy, how) {
  try {
    const answer = await ask({ intent, remedy }, how);
    const asked = { verdict: answer.verdict.kind, findings: answer.findings };
    return { answer, reasons: whyNotHelped(before, finding, asked) };
  } catch (error) {
    return { answer: undefined, reasons: [`the question could not be asked again: ${error.message}`] };
  }
}
