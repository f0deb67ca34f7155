// How many changes wait for an admin, on the button that leads to them. Each look is a call that the router records: at the opening, after each answer,
// when the page is seen again, and each minute for a quarter of an hour after a change was seen to wait.
import { getJson } from './agent.js';

const LOOK_MS = 60_000;
const MOST_LOOKS = 15;
/** Busy, and too late: such a refusal passes. */
const PASSING = [-32000, -32081];
let looksLeft = MOST_LOOKS;
/** This operator may not read what waits: asking again would only fill the trail. */
let isRefused = false;

/** `button`: the link to the page of changes. An agent that does not say leaves it as it is. */
export async function countWaiting(button) {
  if (isRefused) return;
  const waiting = await getJson('/console/waiting').catch((error) => {
    isRefused = error.detail !== undefined && !PASSING.includes(error.detail.code);
  });
  if (waiting === undefined) return;
  const count = waiting.pending.length;
  if (count > 0) looksLeft = MOST_LOOKS;
  button.textContent = count === 0 ? 'Approvals' : `Approvals (${count})`;
  button.classList.toggle('urgent', count > 0);
}

/** While the page is seen. */
export function keepCounting(button) {
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void countWaiting(button);
  });
  setInterval(() => {
    if (document.visibilityState !== 'visible' || looksLeft === 0) return;
    looksLeft--;
    void countWaiting(button);
  }, LOOK_MS);
}
