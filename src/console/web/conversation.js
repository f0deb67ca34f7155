// One question after the other: what was asked, each step of the agent as it happens, then the answer or what to do instead.
import { ask } from './agent.js';
import { answerView } from './answer.js';
import { h, replace } from './dom.js';
import { fetchVerified } from './reports.js';

const STEP_NAMES = {
  intent: 'Understood',
  peers: 'Peers',
  session: 'Session',
  'fan-out': 'Asked all at once',
  signatures: 'Signatures',
  evidence: 'Both ends compared',
  finding: 'Finding',
  report: 'Report',
};

/** `here`: for answers. `onEdit` gets a question back that the operator wants to change; `onAnswered` the question and its answer. */
export function createConversation({ talk, here, onBusy, onAnswered, onEdit }) {
  let running;

  const askOne = async (text) => {
    if (running !== undefined) return;
    const stopper = new AbortController();
    running = stopper;
    onBusy(true);
    const started = performance.now();
    const seconds = () => `${((performance.now() - started) / 1_000).toFixed(2)} s`;
    const turn = openTurn(talk, text);
    try {
      const answer = await ask(
        { intent: text },
        {
          signal: stopper.signal,
          onProgress: (line) => turn.step(line, seconds()),
        },
      );
      turn.close(`answered in ${seconds()}`, answerView(answer, here));
      onAnswered(text, answer);
    } catch (error) {
      turn.close(
        stopper.signal.aborted ? 'stopped' : 'no answer',
        errorView(error, stopper.signal.aborted, { askOne, onEdit }, text),
      );
    } finally {
      running = undefined;
      onBusy(false);
    }
  };

  return {
    ask: askOne,
    /** An answer that the page has already. */
    add(text, answer) {
      openTurn(talk, text).close(undefined, answerView(answer, here));
      onAnswered(text, answer);
    },
    /** Turns of before a reload, from the signed reports that this node keeps. */
    async restore(turns) {
      const open = turns.map(({ text, id }) => ({ turn: openTurn(talk, text, 'Fetching the report …'), id }));
      for (const { turn, id } of open) {
        const view = await fetchVerified(id).then(
          (report) => answerView(report, here),
          (error) => notice('This answer cannot be shown again.', h('p', {}, error.message)),
        );
        turn.close(undefined, view);
      }
    },
    stop: () => running?.abort(),
    get busy() {
      return running !== undefined;
    },
  };
}

/** The question, the list of steps that grows, and the place for the answer. */
function openTurn(talk, text, waiting = 'Asking …') {
  const steps = h('ol', { class: 'steps' });
  const summary = h('summary', {}, waiting);
  const details = h('details', { class: 'progress running', open: true }, summary, steps);
  const place = h('div', { class: 'reply' });
  const turn = h('article', { class: 'turn' }, h('p', { class: 'asked' }, text), details, place);
  talk.append(turn);
  turn.scrollIntoView({ block: 'end' });
  let count = 0;
  return {
    step(line, at) {
      count++;
      steps.append(stepView(line, at));
      steps.lastElementChild.scrollIntoView({ block: 'nearest' });
    },
    close(how, view) {
      details.classList.remove('running');
      details.open = false;
      if (how === undefined) details.remove();
      else replace(summary, `${count} ${count === 1 ? 'step' : 'steps'}, ${how}`);
      replace(place, view);
      turn.scrollIntoView({ block: 'start' });
    },
  };
}

function stepView({ message, data }, at) {
  const { step } = data;
  const text = message.startsWith(`${step}: `) ? message.slice(step.length + 2) : message;
  const name = STEP_NAMES[step] ?? step;
  const capabilities = step === 'session' && data.authorised?.length > 0 ? data.authorised : undefined;
  return h(
    'li',
    { class: 'step' },
    h('span', { class: 'step-name' }, capabilities ? `${name} with ${data.node}` : name),
    h('span', { class: 'step-at' }, at),
    capabilities
      ? h('span', { class: 'step-text' }, 'both sides allow ', ...capabilities.map((each) => h('code', {}, each)))
      : h('span', { class: 'step-text' }, text),
  );
}

/** What went wrong and what to do now. */
function errorView(error, wasStopped, { askOne, onEdit }, text) {
  const retry = [
    h('button', { type: 'button', class: 'main', onclick: () => void askOne(text) }, 'Ask again'),
    h('button', { type: 'button', onclick: () => onEdit(text) }, 'Change the question'),
  ];
  if (wasStopped)
    return notice('Stopped.', h('p', {}, 'The agent gave the question up. No report was made.'), ...retry);
  if (error.broken) {
    const hint =
      'Check that the agent runs and that this machine reaches it, then ask again. The certificate may have ended.';
    return notice(error.message, h('p', {}, hint), ...retry);
  }
  const data = error.detail?.data ?? {};
  if (data.reason === 'order') return notice('Nothing was done.', h('p', {}, error.message), ...retry);
  if (data.forms) {
    return notice(
      'I did not understand that question.',
      data.understood ? h('p', {}, `It was read as ${[data.understood].flat().join(', ')}.`) : undefined,
      data.didYouMean ? h('p', {}, 'Did you mean this?') : undefined,
      data.didYouMean ? choices([data.didYouMean], askOne) : undefined,
      h('p', {}, 'These forms work. Choose one, or put your nodes in their places:'),
      choices(data.forms, askOne),
    );
  }
  if (data.known) {
    return notice(
      'This agent has not heard of one of those nodes.',
      h('p', {}, error.message),
      h('p', {}, data.known.length === 0 ? 'It knows no other node yet.' : `It knows ${data.known.join(', ')}.`),
      ...retry,
    );
  }
  return notice('The agent could not answer.', h('p', {}, error.message), ...retry);
}

function notice(title, ...content) {
  return h('section', { class: 'notice', role: 'alert' }, h('h2', {}, title), ...content);
}

function choices(forms, again) {
  const texts = forms.map((form) => (typeof form === 'string' ? form : String(form.example ?? form.text ?? '')));
  const buttons = texts.map((each) =>
    h('button', { type: 'button', class: 'example', onclick: () => void again(each) }, each),
  );
  return h('div', { class: 'examples' }, ...buttons);
}
