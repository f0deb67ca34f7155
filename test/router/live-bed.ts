// The configuration helper's operations over FRR's programs and live settings that are played: a text that runs, settings in force beside it,
// and a real journal in a folder of the test. Time stands still, and somebody watches each change.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import type { ChangeAuthority } from '#model/router/change-authority.ts';
import { createCandidateStore } from '#router/config/candidate.ts';
import type { FailpointName } from '#router/config/failpoint.ts';
import { createJournal } from '#router/config/journal.ts';
import { areSame, type LiveChange, undoEach } from '#router/config/live.ts';
import { ownerOf } from '#router/config/moment.ts';
import { type ConfigOperationsParts, createConfigOperations } from '#router/config/operations.ts';
import { createFakeClock } from '../fakes/clock.ts';

export const RUNNING = 'frr version 8.4.4\nhostname a\ninterface eth1\n isis metric 10\nexit\n!\n';
const HOLDER = 'operator/ann';
export const MTU: LiveChange = { kind: 'link-mtu', ifname: 'eth1', before: 1400, after: 9000 };

export type Played = {
  /** What there is to be planned. */
  plan: () => Promise<LiveChange>;
  /** Throws where a setting cannot be put back; tells what is gone. */
  undo: (change: LiveChange) => string | undefined;
  /** Throws where FRR's programs fail. */
  apply: (text: string) => void;
  text: string;
  bootId: string;
  inForce: readonly LiveChange[];
};

/** `makeAuthority` is given the folder of the journal; without it every caller may. */
export async function liveBed(t: TestContext, makeAuthority?: (folder: string) => ChangeAuthority) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-live-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const played: Played = {
    plan: async () => MTU,
    undo: () => undefined,
    apply: () => {},
    text: RUNNING,
    bootId: 'boot-1',
    inForce: [],
  };
  const points: FailpointName[] = [];
  const self = (await ownerOf(process.pid))!;
  const failpoint = (name: FailpointName) => {
    points.push(name);
    if (name !== 'watch.wanted') return;
    const { id } = JSON.parse(readFileSync(join(folder, 'journal.json'), 'utf8'));
    writeFileSync(join(folder, 'armed'), JSON.stringify({ id, watcher: self, live: true }));
  };
  const clock = createFakeClock();
  const parts: ConfigOperationsParts = {
    journal: createJournal(folder, failpoint),
    interfaces: async () => new Set(['eth1', 'eth2']),
    frr: {
      readRunning: async () => played.text,
      checkSyntax: async () => undefined,
      trial: async () => '',
      async apply(text) {
        played.apply(text);
        played.text = text;
      },
      endLeftovers: async () => 0,
    },
    live: {
      plan: () => played.plan(),
      mustBeAsPlanned: async () => {},
      async apply(changes) {
        played.inForce = [...played.inForce, ...changes];
      },
      isInForce: async (changes) => areSame(changes, played.inForce),
      undo: (changes) =>
        undoEach(changes, async (change) => {
          const gone = played.undo(change);
          played.inForce = played.inForce.filter((each) => !areSame([each], [change]));
          return gone;
        }),
    },
    now: async () => ({ bootId: played.bootId, uptimeMs: 1_000, wallMs: 1_000 }),
    failpoint,
    startupPath: join(folder, 'frr.conf'),
    lockPath: join(folder, 'lock'),
    clock,
    log: silentLog,
    self,
    candidates: createCandidateStore(clock),
    authority: makeAuthority?.(folder) ?? (async ({ holder }) => ({ basis: 'off', by: holder })),
  };
  const operations = createConfigOperations(parts);
  const context = { signal: new AbortController().signal, emit: () => {} };
  const call = async (operation: string, args: JsonObject) =>
    (await operations.get(operation)!(args, context)) as JsonObject;
  const asHolder = (operation: string, args: JsonObject = {}) => call(operation, { holder: HOLDER, ...args });
  return { folder, played, points, parts, call, asHolder };
}
