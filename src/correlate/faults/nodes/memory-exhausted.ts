// memory_exhausted: the kernel kills routing daemons of a node for want of memory (its OOM killer). The kernel counts its kills and the node remembers
// when: a daemon that ended in the same moment is what was killed. Counted in the daemons' own control group it is certain; on the whole node the one that
// was killed may have been another program. One kill after which the daemon runs, or has run and ended otherwise, is over: a remark.
import { nodeResource } from '#model/names.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { isOneMoment } from '../../network/remembered.ts';
import type { View } from '../../network/world.ts';
import { daemonRestarts, goesOn, isDead, WITHIN_MS } from './daemon-restarts.ts';
import { lostWithDaemons } from './lost-with-daemons.ts';

/** `where`: whose kills were counted. */
type Detail = {
  readonly node: string;
  readonly daemons: readonly string[];
  readonly kills: number;
  readonly agoMs: number;
  readonly where: 'daemons' | 'node';
};

export const memoryExhausted = defineFault<Detail>({
  id: 'memory_exhausted',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'the kernel kills routing daemons of a node for want of memory',
  detect: ({ world, past }) => (past === undefined ? [...world.views.values()].flatMap(detected) : []),
  describe: (detail) => sentence(detail),
  remedy: ({ node, daemons }) => ({
    node,
    summary: `give the routing daemons of ${nodeRef(node)} more memory, or fewer routes`,
    command: 'journalctl -k --grep "Out of memory|oom-kill" --since -1h',
    decide: `what took the memory: ${daemons.join(', ')} with more routes than before, another program, or a limit of their control group`,
  }),
  score: 6,
  consequences: ({ detail: { node, daemons }, remark }, file) =>
    remark !== undefined
      ? []
      : [
          ...lostWithDaemons(file, node, daemons),
          // That they are started again and again is what the kills look like.
          ...daemonRestarts.symptoms
            .of(file)
            .filter(
              ({ nodes, detail }) => nodes.includes(node) && detail.daemons.every((name) => daemons.includes(name)),
            )
            .map(shareOf),
        ],
});

function sentence({ node, daemons, kills, agoMs, where }: Detail): string {
  const often = kills === 1 ? 'once' : `${kills} times`;
  const whose = where === 'daemons' ? 'a process in the control group of its routing daemons' : 'a process';
  return `${nodeRef(node)}: the kernel killed ${whose} for want of memory ${often}, last ${ageWords(agoMs)} ago, and ${daemons.join(', ')} ended with it`;
}

function detected({ node, state, sources }: View): readonly Detection<Detail>[] {
  const settings = state.history?.settings ?? [];
  for (const where of ['daemons', 'node'] as const) {
    const kills = settings.filter((row) => isKill(row, where));
    const ended = endsOf(state, settings, kills).filter((row) => kills.some((kill) => isOneMoment(kill, row)));
    const fatal = kills.filter((kill) => ended.some((row) => isOneMoment(kill, row)));
    if (fatal.length === 0) continue;
    const daemons = [...new Set(ended.map(({ subject }) => subject))].sort();
    const detail = { node, daemons, kills: sumOf(fatal), agoMs: Math.min(...fatal.map(({ agoMs }) => agoMs)), where };
    const found = { resource: nodeResource(node), evidence: sources, nodes: [node], detail };
    const isKilled = (name: string) => isDead(state, name) && ended.includes(latestEndOf(settings, name)!);
    if (isOfOthers(kills, fatal))
      return [{ ...found, remark: `${sentence(detail)}; most kills of that time ended no routing daemon` }];
    if (!daemons.some(isKilled) && !goOn(fatal)) {
      const since = daemons.some((name) => isDead(state, name)) ? 'what ended since then did so at another time' : '';
      const runs = daemons.length === 1 ? 'it runs since' : 'they run since';
      return [{ ...found, remark: `${sentence(detail)}; ${since || runs}` }];
    }
    return [{ ...found, confidence: where === 'daemons' ? 'certain' : 'likely' }];
  }
  return [];
}

function isKill({ kind, setting, subject, was, is }: SettingChange, where: Detail['where']): boolean {
  return kind === 'resource' && setting === 'killed' && subject === where && killsOf({ was, is }) > 0;
}

/** A counter that began anew, as after a reboot, counts none. */
function killsOf({ was, is }: { readonly was?: string | undefined; readonly is?: string | undefined }): number {
  return was === undefined || is === undefined ? 0 : Math.max(0, Number(is) - Number(was));
}

function sumOf(kills: readonly SettingChange[]): number {
  return kills.reduce((sum, kill) => sum + killsOf(kill), 0);
}

/**
 * Without those of all daemons at one moment, which a reading that came late makes, or an operator: then those count that answer no more. All of them count
 * where that goes with kills again and again: systemd ends a whole service of which the kernel killed one program (`OOMPolicy=stop`, its default), and
 * starts it again in a new group, whose count begins anew.
 */
function endsOf(
  { daemons = [] }: NodeState,
  settings: readonly SettingChange[],
  kills: readonly SettingChange[],
): readonly SettingChange[] {
  const ends = settings.filter(isEnd);
  const isOfAll = (row: SettingChange) =>
    daemons.length > 1 &&
    daemons.every(({ name }) => ends.some((each) => each.subject === name && isOneMoment(each, row)));
  const together = ends.filter(isOfAll);
  const isService = goOn(kills.filter((kill) => together.some((row) => isOneMoment(kill, row))));
  return ends.filter((row) => row.is === 'not answering' || isService || !isOfAll(row));
}

/** It ended: it answers no more, another process has taken its place, or nothing is left of it. */
function isEnd({ kind, setting, was, is }: SettingChange): boolean {
  const isGone = was === 'running' && is === undefined;
  return kind === 'daemon' && setting === undefined && (is === 'not answering' || is === 'restarted' || isGone);
}

/** Settings are remembered for days: a daemon that was killed once may have ended since for another reason. */
function latestEndOf(settings: readonly SettingChange[], name: string): SettingChange | undefined {
  const ends = settings.filter((row) => isEnd(row) && row.subject === name);
  return ends.reduce<SettingChange | undefined>(
    (latest, row) => (latest === undefined || row.agoMs < latest.agoMs ? row : latest),
    undefined,
  );
}

/** On a machine with containers, or in a container with other programs, the kernel may kill those all the time; a daemon that an operator stops ends beside one of them. */
function isOfOthers(kills: readonly SettingChange[], fatal: readonly SettingChange[]): boolean {
  const youngest = Math.min(...fatal.map(({ agoMs }) => agoMs));
  const around = kills.filter(({ agoMs }) => Math.abs(agoMs - youngest) <= WITHIN_MS);
  return around.filter((kill) => !fatal.includes(kill)).length > around.filter((kill) => fatal.includes(kill)).length;
}

/** More than one, and lately. */
function goOn(kills: readonly SettingChange[]): boolean {
  const ages = kills.map(({ agoMs }) => agoMs).filter((agoMs) => agoMs <= WITHIN_MS);
  return ages.length > 1 && goesOn(ages.sort((one, other) => one - other));
}
