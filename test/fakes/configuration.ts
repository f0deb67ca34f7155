// A configuration in memory: the helper's own candidate, edits and redaction over one text, and commits that do what they are told at
// once. There is no deadline and no router: what is tested over it is who may do what, and in which order.
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { redactConfiguration } from '#model/redaction.ts';
import type { CandidateChanges, CommitView, ConfigurationPort } from '#model/router/configuration.ts';
import { type Candidate, changesOf, createCandidateStore } from '#router/config/candidate.ts';

export type FakeConfiguration = ConfigurationPort & {
  running: string;
  startup: string;
  /** What was asked of it, in order. */
  readonly asked: string[];
};

const START = ['hostname a', 'interface eth1', ' ip address 198.18.0.0/31', ' isis metric 10', 'exit', ''].join('\n');

export function createFakeConfiguration(running = START): FakeConfiguration {
  const candidates = createCandidateStore(createSystemClock());
  const history: CommitView[] = [];
  let open: (CommitView & { readonly before: string }) | undefined;
  let settled = () => {};
  const shown = (candidate: Candidate): CandidateChanges => ({ changes: changesOf(candidate) });
  const settle = (state: 'CONFIRMED' | 'ROLLED_BACK', reason?: string): CommitView => {
    if (open === undefined) throw new ParleyError('caller/no-commit', 'expected an unconfirmed change, there is none');
    if (state === 'ROLLED_BACK') fake.running = open.before;
    else fake.startup = fake.running;
    const { before: _, ...view } = open;
    open = undefined;
    const ended = { ...view, state, ...(reason === undefined ? {} : { reason }) };
    history.push(ended);
    settled();
    return ended;
  };
  const begin = (holder: string) => candidates.open(holder, async () => fake.running);
  const fake: FakeConfiguration = {
    running,
    startup: running,
    asked: [],
    facts: async () => ({ sources: ['running', 'startup', 'candidate'], confirmedCommit: true }),
    async read(source, holder) {
      if (source === 'candidate') return redactConfiguration(candidates.of(holder).text);
      return redactConfiguration(source === 'running' ? fake.running : fake.startup);
    },
    async edit(holder, lines) {
      await begin(holder);
      return shown(candidates.edit(holder, lines));
    },
    async push(holder, text) {
      await begin(holder);
      return shown(candidates.push(holder, text));
    },
    async restore(holder) {
      return shown(await begin(holder));
    },
    validate: async (holder) => shown(candidates.of(holder)),
    discard: async (holder) => candidates.discard(holder),
    async commit(holder, { timeoutMs, persist }) {
      const { text } = candidates.of(holder);
      const view: CommitView = {
        id: `${String(history.length + 1).padStart(8, '0')}-0a0b0c0d`,
        state: 'APPLIED',
        by: holder,
        startedMs: 0,
        deadlineMs: timeoutMs,
        timeoutMs,
        persist: persist !== undefined,
      };
      fake.asked.push(`commit ${timeoutMs}`);
      open = { ...view, before: fake.running };
      fake.running = text;
      candidates.discard(holder);
      return view;
    },
    verified: async () => open!,
    async confirm() {
      return settle('CONFIRMED');
    },
    async cancel(_holder, reason) {
      fake.asked.push(`cancel: ${reason}`);
      return settle('ROLLED_BACK', reason);
    },
    hold: () =>
      new Promise((resolve) => {
        settled = resolve;
      }),
    open: async () => open,
    history: async () => history,
  };
  return fake;
}
