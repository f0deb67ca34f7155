// When something was: the moment in the reader's own time with its zone, and its age by the agent's clock, which goes on while the page is open.
import { h } from './dom.js';
import { ageWords, momentWords } from './words.js';

const TICK_MS = 5_000;
/** How far the agent's clock is ahead of this browser's. */
let aheadMs = 0;

/** `serverMs`: what the agent's clock shows at this moment; undefined where its reply did not say. */
export function setAgentClock(serverMs) {
  if (serverMs !== undefined) aheadMs = serverMs - Date.now();
}

export function agentNowMs() {
  return Date.now() + aheadMs;
}

/** `at`: RFC 3339, or milliseconds. */
export function whenView(at) {
  const atMs = typeof at === 'number' ? at : Date.parse(at);
  // A screen reader reads the age when it comes to it, and not at every tick.
  const age = h('span', { class: 'age', 'aria-live': 'off' }, ageWords(agentNowMs() - atMs));
  const whole = new Date(atMs).toISOString();
  return h('time', { class: 'when', datetime: whole }, momentWords(atMs), ' · ', age);
}

setInterval(() => {
  for (const view of document.querySelectorAll('time.when')) {
    const words = ageWords(agentNowMs() - Date.parse(view.dateTime));
    const age = view.querySelector('.age');
    if (age.textContent !== words) age.textContent = words;
  }
}, TICK_MS);
