// Which remembered change a finding was caused by: one that names this very setting, that still holds, and that the finding's exact change
// undoes. Never from the order of times: a change that was merely before it is no cause. Pure.
import type { Finding, NodeChange, RemedyChange } from '#model/finding.ts';
import type { LiveSetting } from '#model/router/live-setting.ts';
import { filterSetting, filterSubject } from '#model/settings/filter-settings.ts';

/** One setting that an exact change writes. */
type WrittenSetting = Pick<NodeChange, 'kind' | 'subject' | 'setting'> & {
  /** True when what it writes is what was there before that change of the same setting. */
  undoes(change: NodeChange): boolean;
};

/** FRR's default metric of IS-IS: a circuit without one is the same as one that says so. */
const DEFAULT_METRIC = '10';

/** `changes`: newest first, of the nodes of the finding. */
export function causeOf(finding: Pick<Finding, 'remedy' | 'changes' | 'details'>): NodeChange | undefined {
  const { remedy, changes = [], details } = finding;
  if (remedy?.change === undefined || details['over'] === true) return undefined;
  const [first, ...others] = writtenBy(remedy.change);
  // A change of which only a part is known to be undone is not undone.
  if (first === undefined || !others.every((each) => each !== undefined && isSame(each, first))) return undefined;
  const newest = changes.find((change) => change.node === remedy.node && isSame(change, first));
  return newest !== undefined && [first, ...others].every((each) => each?.undoes(newest)) ? newest : undefined;
}

function isSame(one: Omit<WrittenSetting, 'undoes'>, other: Omit<WrittenSetting, 'undoes'>): boolean {
  return one.kind === other.kind && one.subject === other.subject && one.setting === other.setting;
}

/** Undefined in the place of each part that is not known here. */
function writtenBy({ lines = [], live = [] }: RemedyChange): readonly (WrittenSetting | undefined)[] {
  return [...live.map(writtenByLive), ...writtenByLines(lines)];
}

function writtenByLive(setting: LiveSetting): WrittenSetting | undefined {
  switch (setting.kind) {
    case 'link-mtu': {
      const { ifname: subject, mtu, now } = setting;
      return { kind: 'mtu', subject, undoes: ({ was, is }) => was === `${mtu}` && is === `${now}` };
    }
    case 'link-up':
      return { kind: 'admin', subject: setting.ifname, undoes: isShut };
    case 'address-add': {
      const { ifname: subject, address } = setting;
      const only = ({ was = '', is = '' }: NodeChange) =>
        sorted([...is.split(' ').filter(Boolean), address]) === sorted(was.split(' '));
      return { kind: 'address', subject, undoes: only };
    }
    case 'nft-delete-rule':
      return {
        ...{ kind: 'filter', subject: filterSubject(setting), setting: filterSetting(setting) },
        undoes: ({ was, is }) => was === undefined && is !== undefined,
      };
    case 'neighbour-delete':
      return undefined;
  }
}

function isShut({ was, is }: NodeChange): boolean {
  return was === 'up' && is === 'shut';
}

function sorted(texts: readonly string[]): string {
  return [...texts].sort().join(' ');
}

/** Lines of FRR's configuration, each within the block before it. */
function writtenByLines(lines: readonly string[]): readonly (WrittenSetting | undefined)[] {
  let block = '';
  const found: (WrittenSetting | undefined)[] = [];
  for (const line of lines) {
    const text = line.trim();
    if (/^(?:interface|router) /.test(text)) block = text;
    else if (!/^(?:address-family .*|exit(?:-address-family)?)$/.test(text)) found.push(writtenByLine(block, text));
  }
  return found;
}

function writtenByLine(block: string, line: string): WrittenSetting | undefined {
  const subject = /^interface (\S+)$/.exec(block)?.[1];
  if (subject !== undefined) {
    if (line === 'no shutdown') return { kind: 'admin', subject, undoes: isShut };
    const [, protocol, metric] =
      /^(?:(isis) metric|ip (ospf) cost|ipv6 (ospf6) cost) (\d+)$/.exec(line)?.filter(Boolean) ?? [];
    if (protocol === undefined || metric === undefined) return undefined;
    const isDefault = protocol === 'isis' && metric === DEFAULT_METRIC;
    const undoes = ({ was }: NodeChange) => was === metric || (isDefault && was === 'default');
    return { kind: 'metric', subject, setting: protocol, undoes };
  }
  const [, peer, asn] = /^neighbor (\S+) remote-as (\d+)$/.exec(line) ?? [];
  if (peer !== undefined)
    return { kind: 'session', subject: peer, setting: 'remote-as', undoes: ({ was }) => was === asn };
  const network = /^network (\S+)$/.exec(line)?.[1];
  // Announced to every peer before, and to none since.
  if (network !== undefined)
    return { kind: 'announced', subject: network, undoes: ({ was, is = 'none' }) => was === 'all' && is === 'none' };
  const discarded = /^no (?:ip|ipv6) route (\S+) (?:blackhole|Null0|reject)$/.exec(line)?.[1];
  if (discarded === undefined) return undefined;
  const came = ({ was, is = '' }: NodeChange) => was === undefined && /^(?:blackhole|unreachable|prohibit)/.test(is);
  return { kind: 'static-route', subject: discarded, undoes: came };
}
