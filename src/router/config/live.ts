// Live settings of the kernel as part of a change: read, checked, set, and put back. What was there is written into the journal's record
// before anything is set; putting back twice changes nothing. What could not be put back is refused. Arguments are arrays, rules go as JSON.
import { readFile } from 'node:fs/promises';
import { messageOf, ParleyError } from '#base/error.ts';
import { run } from '#base/process.ts';
import type { KnownRule, LiveSetting, RulePlace } from '#model/router/live-setting.ts';
import { ROUTER_LIMITS } from '../limits.ts';
import { APPLY_MARK } from './frr-programs.ts';
import {
  type EntryChange,
  isEntry,
  isEntryInForce,
  linesOfEntry,
  setEntry,
  undoEntry,
  unfitEntry,
} from './live-entries.ts';
import { ruleSha256 as sha256Of } from './nft-rule-digest.ts';
import {
  hasChain,
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
  | EntryChange
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
  /**
   * Each by itself. Resolves with what there is nothing to put back to, as an interface that is gone; rejects with `node/rollback-failed`
   * after all were tried.
   */
  undo(changes: readonly LiveChange[]): Promise<readonly string[]>;
};

type Link = { readonly ifname: string; readonly mtu: number; readonly flags: readonly string[] };
/** `link` is the parent, as of a VLAN; `master` the bridge or bond that it belongs to. */
type ListedLink = Link & { readonly link?: string; readonly master?: string };
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
    undo: (changes) => undoEach(changes, (change) => programs.undo(change)),
  };
}

/** `undo` resolves with what is gone, if that is so. */
export async function undoEach(
  changes: readonly LiveChange[],
  undo: (change: LiveChange) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const gone: string[] = [];
  const failures: unknown[] = [];
  // Rules go back in the order of their places, so that each finds those before it.
  for (const change of changes.toSorted((one, other) => indexOf(one) - indexOf(other))) {
    try {
      gone.push(...[(await undo(change)) ?? []].flat());
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 0) return gone;
  throw new ParleyError(
    'node/rollback-failed',
    `expected the live settings of before the change, came: ${failures.map(messageOf).join('; ')}`.slice(0, 500),
    { cause: failures[0] },
  );
}

/** As lines, for the admin who must agree. `live` says that no configuration holds them. */
export function linesOfLive(change: LiveChange): readonly ChangedLine[] {
  if (change.kind === 'nft-delete-rule') {
    const { family, table, chain } = change.place;
    return [{ sign: '-', context: `live nft ${family} ${table} ${chain}`, line: change.text }];
  }
  if (isEntry(change)) return linesOfEntry(change);
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
  if (link === undefined) throw unfit(`expected an interface ${ifname}, there is none`);
  if (isEntry(setting)) {
    const reason = await unfitEntry(programs.ip, setting);
    if (reason !== undefined) throw unfit(reason);
    return setting;
  }
  if (setting.kind === 'link-up') {
    if (isUp(link)) throw unfit(`expected ${ifname} to be shut, it is not`);
    return { kind: 'link-up', ifname };
  }
  if (link.mtu !== setting.now) throw unfit(`expected ${ifname} with MTU ${setting.now}, it has ${link.mtu}`);
  const reason = mtuLoss(setting, await programs.links(), await ipv6MtuOf(ifname));
  if (reason !== undefined) throw unfit(reason);
  return { kind: 'link-mtu', ifname, before: link.mtu, after: setting.mtu };
}

/** What another MTU would take along and the old one not bring back: the kernel lowers those above with it, and sets IPv6's to the same. */
export function mtuLoss(
  { ifname, mtu, now }: { readonly ifname: string; readonly mtu: number; readonly now: number },
  links: readonly ListedLink[],
  ipv6Mtu: number | undefined,
): string | undefined {
  // The two ends of a veth pair name each other; neither stands on the other.
  const peer = links.find((each) => each.ifname === ifname)?.link;
  const above = links
    .filter((each) => (each.link === ifname && each.ifname !== peer) || each.master === ifname)
    .map((each) => each.ifname);
  if (mtu < now && above.length > 0)
    return `expected an interface that no other depends on: a lower MTU of ${ifname} lowers that of ${above.join(', ').slice(0, 100)} for good`;
  if (ipv6Mtu !== undefined && ipv6Mtu !== now)
    return `expected the same MTU for IPv6 on ${ifname}, it has one of its own, ${ipv6Mtu}, which would be lost`;
  return undefined;
}

/** Undefined where the interface has no IPv6. */
async function ipv6MtuOf(ifname: string): Promise<number | undefined> {
  // A name of the closed form of live-setting.ts: it holds no slash and begins with no dot.
  const text = await readFile(`/proc/sys/net/ipv6/conf/${ifname}/mtu`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text);
}

async function planDeletion(
  programs: Programs,
  { kind: _kind, ruleSha256, ...place }: KnownRule & { readonly kind: string },
) {
  const rules = await programs.rules(place);
  if (rules === undefined) throw unfit(`expected a chain ${chainOf(place)}, there is none`);
  const index = rules.findIndex(({ handle }) => handle === place.handle);
  const rule = rules[index];
  if (rule === undefined) throw unfit(`expected a rule with handle ${place.handle}, the chain has none`);
  const text = await programs.ruleText(place);
  // A reload of the table since then has given the handle to another rule.
  if (sha256Of(rule) !== ruleSha256) throw another(place, text, sha256Of(rule));
  const reason = restorable(rule);
  if (reason !== undefined) throw unfit(`expected a rule that can be put back, ${reason}`);
  const alike = rules.filter((each) => ruleKey(each) === ruleKey(rule)).length;
  const change = {
    kind: 'nft-delete-rule' as const,
    place,
    text,
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
    const finished = await run(program, args, { timeoutMs: ROUTER_LIMITS.configProgramMs, env });
    if (finished.exitCode === 0) return finished.stdout;
    throw unfit(`${program} ${args[0]} failed: ${(finished.stderr || finished.stdout).trim().slice(0, 200)}`);
  };
  const links = async (): Promise<readonly ListedLink[]> => JSON.parse(await call('ip', ['-json', 'link', 'show']));
  /** Undefined when it is seen that there is none; a program that fails otherwise says nothing. */
  const link = async (ifname: string): Promise<Link | undefined> => {
    try {
      const [shown] = JSON.parse(await call('ip', ['-json', 'link', 'show', 'dev', ifname])) as readonly Link[];
      return shown;
    } catch (error) {
      if ((await links()).some((each) => each.ifname === ifname)) throw error;
      return undefined;
    }
  };
  const listed = ({ family, table, chain }: RulePlace) => ['list', 'chain', family, table, chain];
  /** Undefined as above. */
  const rules = async (place: RulePlace): Promise<NftRules | undefined> => {
    try {
      return nftRulesOf(await call('nft', ['--json', ...listed(place)]));
    } catch (error) {
      if (hasChain(await call('nft', ['--json', 'list', 'chains']), place)) throw error;
      return undefined;
    }
  };
  const setMtu = (ifname: string, mtu: number) => call('ip', ['link', 'set', 'dev', ifname, 'mtu', String(mtu)]);
  const ip = (args: readonly string[]) => call('ip', args);
  return {
    ip,
    link,
    links,
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
      if (isEntry(change)) await setEntry(ip, change);
      else if (change.kind === 'link-mtu') await setMtu(change.ifname, change.after);
      else if (change.kind === 'link-up') await call('ip', ['link', 'set', 'dev', change.ifname, 'up']);
      else {
        const { family, table, chain, handle } = change.place;
        await call('nft', ['delete', 'rule', family, table, chain, 'handle', String(handle)]);
      }
    },
    async isInForce(change: LiveChange): Promise<boolean> {
      if (change.kind === 'nft-delete-rule') {
        const there = await rules(change.place);
        return there !== undefined && !isPresent(change, there);
      }
      const there = await link(change.ifname);
      if (there === undefined) return false;
      if (isEntry(change)) return isEntryInForce(ip, change);
      return change.kind === 'link-mtu' ? there.mtu === change.after : isUp(there);
    },
    /** A value that another program has set since stays: only our own is put back. Where no earlier value is known, the answer says so. */
    async undo(change: LiveChange): Promise<string | undefined> {
      if (change.kind === 'nft-delete-rule') {
        const there = await rules(change.place);
        if (there === undefined) return `the chain ${chainOf(change.place)} is gone`;
        if (!isPresent(change, there)) await call('nft', ['--json', restoringBatch(change, there.length)]);
        return undefined;
      }
      const there = await link(change.ifname);
      if (there === undefined) return `the interface ${change.ifname} is gone`;
      if (isEntry(change)) await undoEntry(ip, change);
      if (change.kind === 'link-mtu' && there.mtu === change.after) await setMtu(change.ifname, change.before);
      if (change.kind === 'link-up' && isUp(there)) await call('ip', ['link', 'set', 'dev', change.ifname, 'down']);
      return undefined;
    },
  };
}

function isUp({ flags }: Link): boolean {
  return flags.includes('UP');
}

function chainOf({ family, table, chain }: RulePlace): string {
  return `${family} ${table} ${chain}`;
}

function settingOf(change: LiveChange): LiveSetting {
  if (change.kind === 'nft-delete-rule')
    return { kind: change.kind, ...change.place, ruleSha256: sha256Of(change.rule) };
  if (change.kind === 'link-up' || isEntry(change)) return change;
  return { kind: change.kind, ifname: change.ifname, mtu: change.after, now: change.before };
}

/** The same changes of the same state. */
export function areSame(one: readonly LiveChange[], other: readonly LiveChange[]): boolean {
  return one.map(describe).join() === other.map(describe).join();
}

/** Without counters, which move all the time. */
export function describe(change: LiveChange): string {
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

function another({ handle }: RulePlace, text: string, sha256: string): ParleyError {
  return new ParleyError(
    'caller/config-changed',
    `expected another rule with handle ${handle}, there is "${text.slice(0, 200)}" with SHA-256 ${sha256}`,
  );
}

function changed(change: LiveChange): ParleyError {
  const [line] = linesOfLive(change);
  return new ParleyError(
    'caller/config-changed',
    `expected what was there when the change was drawn up, another thing is: ${line!.context}`,
  );
}
