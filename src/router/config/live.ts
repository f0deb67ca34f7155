// Live settings of the kernel as part of a change: read, checked, set, and put back. What was there is written into the journal's record
// before anything is set; putting back twice changes nothing. What could not be put back is refused. Arguments are arrays, rules go as JSON.
import { readFile } from 'node:fs/promises';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { run } from '#base/process.ts';
import type { LiveSetting, RulePlace } from '#model/live-setting.ts';
import { APPLY_MARK } from './frr-programs.ts';
import {
  isPresent,
  type NftRule,
  type NftRules,
  nftRulesOf,
  restorable,
  restoringBatch,
  ruleKey,
} from './nft-rules.ts';
import type { ChangedLine } from './text.ts';

/** A setting with all that its undoing needs. */
export type LiveChange =
  | { readonly kind: 'link-mtu'; readonly ifname: string; readonly before: number; readonly after: number }
  | { readonly kind: 'link-up'; readonly ifname: string }
  | {
      readonly kind: 'nft-delete-rule';
      readonly place: RulePlace;
      /** The rule as nft lists it, for people and as a precondition. */
      readonly text: string;
      readonly rule: NftRule;
      readonly index: number;
      /** How many rules of its chain say the same. */
      readonly alike: number;
    };

export type LivePrograms = {
  /** Reads what is there. Rejects with `caller/bad-config` where a setting does not fit it, or could not be undone. */
  plan(setting: LiveSetting): Promise<LiveChange>;
  /** Rejects with `caller/config-changed` unless all is as it was when it was planned. */
  mustBeAsPlanned(changes: readonly LiveChange[]): Promise<void>;
  apply(changes: readonly LiveChange[], signal?: AbortSignal): Promise<void>;
  /** Whether all changes are still in force. */
  isInForce(changes: readonly LiveChange[]): Promise<boolean>;
  undo(changes: readonly LiveChange[]): Promise<void>;
};

type Link = { readonly mtu: number; readonly isUp: boolean };
type Programs = ReturnType<typeof createPrograms>;

/** `state` is the folder of the journal: what a dead process left running is found by it, as for FRR's programs. */
export function createLivePrograms(state: string): LivePrograms {
  const programs = createPrograms(state);
  return {
    plan: (setting) => plan(programs, setting),
    async mustBeAsPlanned(changes) {
      for (const change of changes) {
        const again = await plan(programs, settingOf(change));
        if (describe(again) !== describe(change)) throw changed(change);
      }
    },
    async apply(changes, signal) {
      for (const change of changes) {
        signal?.throwIfAborted();
        await programs.set(change);
      }
    },
    async isInForce(changes) {
      for (const change of changes) if (!(await programs.isInForce(change))) return false;
      return true;
    },
    async undo(changes) {
      // Rules go back in the order of their places, so that each finds those before it.
      for (const change of changes.toSorted((one, other) => indexOf(one) - indexOf(other))) await programs.undo(change);
    },
  };
}

/** As lines, for whoever must agree. `live` says that no configuration holds them. */
export function linesOfLive(change: LiveChange): readonly ChangedLine[] {
  if (change.kind === 'nft-delete-rule') {
    const { family, table, chain } = change.place;
    return [{ sign: '-', context: `live nft ${family} ${table} ${chain}`, line: change.text }];
  }
  const context = `live interface ${change.ifname}`;
  if (change.kind === 'link-up') return [{ sign: '-', context, line: 'shutdown' }];
  return [
    { sign: '-', context, line: `mtu ${change.before}` },
    { sign: '+', context, line: `mtu ${change.after}` },
  ];
}

async function plan(programs: Programs, setting: LiveSetting): Promise<LiveChange> {
  await mustBePrivileged();
  if (setting.kind === 'nft-delete-rule') return planDeletion(programs, setting);
  const { ifname } = setting;
  const link = await programs.link(ifname);
  if (setting.kind === 'link-up') {
    if (link.isUp) throw unfit(`expected ${ifname} to be shut, it is not`);
    return { kind: 'link-up', ifname };
  }
  if (link.mtu !== setting.now) throw unfit(`expected ${ifname} with MTU ${setting.now}, it has ${link.mtu}`);
  return { kind: 'link-mtu', ifname, before: link.mtu, after: setting.mtu };
}

async function planDeletion(programs: Programs, { kind: _kind, ...place }: RulePlace & { readonly kind: string }) {
  const rules = await programs.rules(place);
  const index = rules.findIndex(({ handle }) => handle === place.handle);
  const rule = rules[index];
  if (rule === undefined) throw unfit(`expected a rule with handle ${place.handle}, the chain has none`);
  const reason = restorable(rule);
  if (reason !== undefined) throw unfit(`expected a rule that can be put back, ${reason}`);
  const alike = rules.filter((each) => ruleKey(each) === ruleKey(rule)).length;
  const change = {
    kind: 'nft-delete-rule' as const,
    place,
    text: await programs.ruleText(place),
    rule,
    index,
    alike,
  };
  await programs.tryRestore(change, rules.length);
  return change;
}

function createPrograms(state: string) {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', [APPLY_MARK]: state };
  const call = async (program: 'ip' | 'nft', args: readonly string[]) => {
    const finished = await run(program, args, { timeoutMs: LIMITS.configProgramMs, env });
    if (finished.exitCode === 0) return finished.stdout;
    throw unfit(`${program} ${args[0]} failed: ${(finished.stderr || finished.stdout).trim().slice(0, 200)}`);
  };
  const link = async (ifname: string): Promise<Link> => {
    const [shown] = JSON.parse(await call('ip', ['-json', 'link', 'show', 'dev', ifname])) as readonly {
      readonly mtu: number;
      readonly flags: readonly string[];
    }[];
    return { mtu: shown!.mtu, isUp: shown!.flags.includes('UP') };
  };
  const listed = ({ family, table, chain }: RulePlace) => ['list', 'chain', family, table, chain];
  const rules = async (place: RulePlace): Promise<NftRules> =>
    nftRulesOf(await call('nft', ['--json', ...listed(place)]));
  const setMtu = (ifname: string, mtu: number) => call('ip', ['link', 'set', 'dev', ifname, 'mtu', String(mtu)]);
  return {
    link,
    rules,
    async ruleText(place: RulePlace): Promise<string> {
      const end = `# handle ${place.handle}`;
      const text = await call('nft', ['--handle', '--stateless', ...listed(place)]);
      const line = text.split('\n').find((each) => each.endsWith(end) && !each.includes('{ #'));
      return (line ?? '').slice(0, -end.length).trim();
    },
    /** A batch that puts the rule beside itself must be taken, or it could not come back. */
    async tryRestore(change: Extract<LiveChange, { kind: 'nft-delete-rule' }>, count: number): Promise<void> {
      await call('nft', ['--check', '--json', restoringBatch(change, count)]);
    },
    async set(change: LiveChange): Promise<void> {
      if (change.kind === 'link-mtu') await setMtu(change.ifname, change.after);
      else if (change.kind === 'link-up') await call('ip', ['link', 'set', 'dev', change.ifname, 'up']);
      else {
        const { family, table, chain, handle } = change.place;
        await call('nft', ['delete', 'rule', family, table, chain, 'handle', String(handle)]);
      }
    },
    async isInForce(change: LiveChange): Promise<boolean> {
      if (change.kind === 'nft-delete-rule') return !isPresent(change, await rules(change.place));
      const { mtu, isUp } = await link(change.ifname);
      return change.kind === 'link-mtu' ? mtu === change.after : isUp;
    },
    /** What somebody else has set since stays: only what we set is put back. */
    async undo(change: LiveChange): Promise<void> {
      if (change.kind === 'nft-delete-rule') {
        const there = await rules(change.place);
        if (isPresent(change, there)) return;
        await call('nft', ['--json', restoringBatch(change, there.length)]);
        return;
      }
      const { mtu, isUp } = await link(change.ifname);
      if (change.kind === 'link-mtu' && mtu === change.after) await setMtu(change.ifname, change.before);
      if (change.kind === 'link-up' && isUp) await call('ip', ['link', 'set', 'dev', change.ifname, 'down']);
    },
  };
}

function settingOf(change: LiveChange): LiveSetting {
  if (change.kind === 'nft-delete-rule') return { kind: change.kind, ...change.place };
  if (change.kind === 'link-up') return change;
  return { kind: change.kind, ifname: change.ifname, mtu: change.after, now: change.before };
}

/** The same changes of the same state. */
export function areSame(one: readonly LiveChange[], other: readonly LiveChange[]): boolean {
  return one.map(describe).join() === other.map(describe).join();
}

/** Without counters, which move all the time. */
function describe(change: LiveChange): string {
  if (change.kind !== 'nft-delete-rule') return JSON.stringify(change);
  const { place, text, rule, index, alike } = change;
  return JSON.stringify([place, text, ruleKey(rule), index, alike]);
}

function indexOf(change: LiveChange): number {
  return change.kind === 'nft-delete-rule' ? change.index : 0;
}

/** Bit of CAP_NET_ADMIN in the capabilities of a process. */
const NET_ADMIN = 1n << 12n;

/** Asked before anything is promised: a helper without the capability could begin and not end. */
export async function mayChangeLive(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8');
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return (BigInt(`0x${effective}`) & NET_ADMIN) !== 0n;
}

async function mustBePrivileged(): Promise<void> {
  if (await mayChangeLive()) return;
  throw new ParleyError(
    'node/no-live-settings',
    'expected a configuration helper with CAP_NET_ADMIN, it has none: live settings are not changed here',
  );
}

function unfit(detail: string): ParleyError {
  return new ParleyError('caller/bad-config', detail);
}

function changed(change: LiveChange): ParleyError {
  const [line] = linesOfLive(change);
  return new ParleyError(
    'caller/config-changed',
    `expected what was there when the change was drawn up, another thing is: ${line!.context}`,
  );
}
