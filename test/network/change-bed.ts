// The tools that change a node over a configuration that only remembers what it was asked, and a health gate that says what it is told.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { type AccessSettings, createAccess, DEFAULT_ACCESS, type RuleList } from '#model/access.ts';
import type { ConsentGate } from '#model/consent.ts';
import type { CallContext, ClientSide } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { ChangedLine, CommitView, ConfigurationPort, HealthBaseline } from '#model/router/configuration.ts';
import { createChanges } from '#network/configuration/change.ts';
import { configureTools } from '#network/configuration/configure.ts';
import { fileTools } from '#network/configuration/files.ts';
import { createFakeClock } from '../fakes/clock.ts';

export const COMMIT: CommitView = {
  id: '00000001-0a0b0c0d',
  state: 'APPLIED',
  by: 'operator/ann',
  startedMs: 0,
  deadlineMs: 60_000,
  timeoutMs: 60_000,
  persist: false,
};

type Bed = {
  granted?: boolean;
  missing?: readonly string[];
  unproven?: readonly string[];
  /** The step of the port that fails; a commit fails once it runs. */
  fails?: 'verified' | 'commit';
  /** With this a commit is refused; a consent that is given back is noted. */
  commitFails?: ParleyError;
  cancelFails?: ParleyError;
  probeCaller?: () => Promise<void>;
  /** What is open when a change is to be undone. */
  open?: CommitView | undefined;
  wrong?: string;
  confirmFails?: ParleyError;
  /** What the port says of a confirmation. */
  confirmReason?: string;
  baseline?: HealthBaseline;
  /** An admin is waited for, and this is what the health gate sees, or throws, after that. */
  afterWait?: HealthBaseline | ParleyError;
  /** Called as the health gate begins. */
  onGate?: () => unknown;
  roles?: AccessSettings['roles'];
  lists?: readonly RuleList[];
  more?: readonly ChangedLine[];
};

export function bed(init: Bed = {}) {
  const asked: string[] = [];
  const note = (what: string) => void asked.push(what);
  const noted = <T>(what: string, value: T): T => {
    note(what);
    return value;
  };
  const candidate = {
    changes: [{ sign: '+', context: 'interface eth1', line: 'isis metric 5' }, ...(init.more ?? [])],
    ...(init.wrong ? { wrong: init.wrong } : {}),
  } as const;
  const configuration: ConfigurationPort = {
    facts: async () => ({ sources: ['running', 'startup', 'candidate'], confirmedCommit: true }),
    read: async (source) => `! ${source}`,
    edit: async (_, lines) => noted(`edit ${lines.join('|')}`, candidate),
    push: async () => candidate,
    restore: async (_, id) => noted(`restore ${id}`, candidate),
    validate: async () => candidate,
    discard: async () => note('discard'),
    commit: async (_, { timeoutMs, persist }) => {
      note(`commit ${timeoutMs} ${persist ?? '-'}`);
      if (init.commitFails) throw init.commitFails;
      if (init.fails === 'commit') throw new ParleyError('node/timeout', 'the helper says nothing');
      return COMMIT;
    },
    verified: async () => {
      if (init.fails === 'verified') throw new ParleyError('node/timeout', 'the helper says nothing');
      return noted('verified', { ...COMMIT, state: 'VERIFIED' });
    },
    confirm: async (holder, persistId) => {
      note(`confirm ${holder} ${persistId ?? '-'}`);
      if (init.confirmFails) throw init.confirmFails;
      const told = init.confirmReason === undefined ? {} : { reason: init.confirmReason };
      return { ...COMMIT, state: 'CONFIRMED', ...told };
    },
    cancel: async (_, reason) => {
      note(`cancel ${reason}`);
      if (init.cancelFails) throw init.cancelFails;
      return { ...COMMIT, state: 'ROLLED_BACK' };
    },
    hold: async () => note('hold'),
    open: async () => ('open' in init ? init.open : COMMIT),
    history: async () => [{ ...COMMIT, state: 'ROLLED_BACK', reason: 'not confirmed in time' }],
  };
  let waits = init.afterWait !== undefined;
  const baselineOf = async () => {
    const seen = (!waits && init.afterWait) || init.baseline || { holds: ['a sees b on eth1'] };
    if (seen instanceof ParleyError) throw seen;
    return seen;
  };
  const consent: ConsentGate = {
    decided: async () => {
      waits = false;
    },
    ask: async ({ summary, rollbackMs, live }) => {
      note(`consent to "${summary}" ${rollbackMs}${live === true ? ' live' : ''}`);
      if (waits) return { granted: false, reason: 'an admin must agree', id: 'c1', url: 'https://b/' };
      return (init.granted ?? true)
        ? { granted: true, by: 'the test', giveBack: async () => note('given back') }
        : { granted: false, reason: 'the test says no' };
    },
  };
  const access = createAccess({ ...DEFAULT_ACCESS, roles: { ann: 'admin', ...init.roles }, lists: init.lists ?? [] });
  const changes = createChanges({
    configuration,
    gate: {
      baseline: baselineOf,
      compare: async () => {
        await init.onGate?.();
        return { missing: init.missing ?? [], unproven: init.unproven ?? [] };
      },
    },
    consent,
    access,
    clock: createFakeClock(),
    log: silentLog,
  });
  const definitions = [
    ...configureTools(configuration, changes),
    ...fileTools(configuration, changes, { access, consent }),
  ];
  const call = (name: string, args: JsonObject, who = 'ann', signal = new AbortController().signal) =>
    definitions
      .find((definition) => definition.name === name)!
      .call(args, {
        ...contextOf(who),
        signal,
        ...(init.afterWait === undefined ? {} : { client: WILLING }),
        ...(init.probeCaller === undefined ? {} : { probeCaller: init.probeCaller }),
      });
  return { asked, definitions, call };
}

/** Can be asked, and says that an admin has decided. */
const WILLING: ClientSide = {
  offers: () => true,
  request: async () => ({ action: 'accept' }),
  log: () => {},
  detach: () => {},
};

export function contextOf(name: string): CallContext {
  const caller: Party = { kind: 'operator', domain: 'lab', name };
  return { caller, signal: new AbortController().signal, progress: () => {} };
}
