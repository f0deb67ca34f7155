// What operators said is meant: a finding that an `allow` line or a maintenance window covers accuses nobody, and the answer says what was
// silenced, by whom, why and until when. A line past its end speaks again. Judged by the asked node's clock alone, which the report keeps.
import type { Said, Silenced } from '#model/expectations.ts';
import type { AllowLine, ExpectationLine, MaintenanceLine } from '#model/router/expectations.ts';
import type { CaseFile } from '../engine/facts.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import type { LossSymptom } from '../engine/loss-symptom.ts';
import type { Ranked } from '../engine/rank.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { World } from '../network/world.ts';
import { hypothesisOf } from '../text/hypothesis.ts';
import { excusedBy, placesOf } from './excused.ts';

/** A line, and whose file it is in. */
export type LineOf<Line extends ExpectationLine = ExpectationLine> = {
  readonly node: string;
  /** In the file of the asked node, which may speak of all others. */
  readonly isOwn: boolean;
  readonly line: Line;
};

export type Meant = {
  /** The silenced proposals accuse nobody any more, and still explain what they explained. */
  readonly ranked: Ranked;
  /** What is over and is not silenced. */
  readonly over: readonly Proposal[];
  readonly silenced: readonly Silenced[];
  /** Which findings stand since their line ended, and whose files are not applied. */
  readonly remarks: readonly string[];
  /** A part of the proof of health that is missing because of what was silenced, or is under maintenance. */
  excuses(lacking: string): boolean;
};

/** `over`: what was wrong within the time asked about. */
export function meantOf(
  file: CaseFile,
  losses: readonly LossSymptom[],
  said: Said | undefined,
  ranked: Ranked,
  over: readonly Proposal[],
): Meant {
  const lines = linesOf(file.world, said);
  const refused = [...file.world.views.values()].flatMap(({ state }) => state.expectationsRefused ?? []);
  if (said === undefined || lines.length === 0)
    return { ranked, over, silenced: [], remarks: refused, excuses: () => false };
  const nowMs = Date.parse(said.at);
  const judge = judgeOf(file.world, lines, nowMs);
  const judged = [...ranked.chosen, ...over]
    .filter(({ accuses }) => accuses !== false)
    .map((proposal) => ({ proposal, ...judge(proposal) }));
  const quiet = judged.filter(({ covering }) => covering !== undefined);
  const isQuiet = (proposal: Proposal) => quiet.some((each) => each.proposal === proposal);
  const excuses = excusedBy(
    file,
    losses,
    quiet.map(({ proposal }) => proposal),
    lines.flatMap(({ line }) => (line.kind === 'maintenance' && holdsAt(line, nowMs) ? line.nodes : [])),
  );
  const silenced = quiet.map(({ proposal, covering }) => silencedBy(proposal, covering!));
  const ended = judged.flatMap((each) =>
    each.covering !== undefined || each.ended === undefined ? [] : [endedText(each.proposal, each.ended)],
  );
  return {
    ranked: {
      ...ranked,
      chosen: ranked.chosen.map((proposal) =>
        isQuiet(proposal) ? { ...proposal, accuses: false, meant: true } : proposal,
      ),
      lost: [...ranked.lost, ...quiet.map(({ proposal, covering }) => ({ proposal, why: reasonOf(covering!) }))],
    },
    over: over.filter((proposal) => !isQuiet(proposal)),
    silenced,
    remarks: [...ended, ...refused],
    excuses,
  };
}

/** Those of the asked node's own file, and those of the other nodes' files. */
export function linesOf({ views }: Pick<World, 'views'>, said: Said | undefined): readonly LineOf[] {
  const own = (said?.lines ?? []).map((line) => ({ node: said!.node, isOwn: true, line }));
  const others = [...views.values()]
    .filter(({ node }) => node !== said?.node)
    .flatMap(({ node, state }) => (state.expectations ?? []).map((line) => ({ node, isOwn: false, line })));
  return [...own, ...others];
}

type Quieting = LineOf<AllowLine> | LineOf<MaintenanceLine>;
type Judged = { readonly covering?: Quieting; readonly ended?: Quieting };

/** Which line covers a proposal, and which would if it had not ended. */
function judgeOf(world: World, lines: readonly LineOf[], nowMs: number): (proposal: Proposal) => Judged {
  return (proposal) => {
    const { agoSeconds } = proposal.details;
    const atMs = nowMs - (typeof agoSeconds === 'number' ? agoSeconds * 1_000 : 0);
    const about = lines.filter((each): each is Quieting => covers(world, each, proposal));
    const covering = about.find(({ line }) => holdsAt(line, atMs));
    // That a maintenance window is over is no news.
    const ended = about.find(({ line }) => line.kind === 'allow' && Date.parse(line.until) < atMs);
    return { ...(covering === undefined ? {} : { covering }), ...(ended === undefined ? {} : { ended }) };
  };
}

function holdsAt(line: AllowLine | MaintenanceLine, atMs: number): boolean {
  return atMs <= Date.parse(line.until) && (line.kind === 'allow' || atMs >= Date.parse(line.from));
}

function covers(world: World, { node, isOwn, line }: LineOf, { fault, resource }: Proposal): boolean {
  const { nodes, links } = placesOf(world, resource);
  // What other nodes may do is for the asked node's operators to say.
  if (line.kind === 'expect' || (!isOwn && !nodes.includes(node))) return false;
  if (line.kind === 'maintenance')
    return (
      line.nodes.some((each) => nodes.includes(each)) ||
      line.links.some((each) => links.some((key) => fits(`link/${each}`, key)))
    );
  return (line.fault === '*' || line.fault === fault) && [resource, ...links].some((name) => fits(line.resource, name));
}

/** `*` stands for any text; the ends of a link may be named in either order. */
export function fits(pattern: string, name: string): boolean {
  const like = (text: string) =>
    new RegExp(
      `^${text
        .split('*')
        .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    ).test(name);
  if (like(pattern)) return true;
  const [one, other] = pattern.startsWith('link/') ? pattern.slice('link/'.length).split('--') : [];
  return one !== undefined && other !== undefined && like(`link/${other}--${one}`);
}

function silencedBy({ fault, resource, ...proposal }: Proposal, quieting: Quieting): Silenced {
  const { node, line } = quieting;
  const { owner, reason, until } = line;
  const text = `${hypothesisOf({ fault, resource, ...proposal })}: ${reasonOf(quieting)}`;
  return { fault, resource, by: line.kind, node, owner, reason, until, text };
}

/** `allowed by netops until 2026-12-31T23:59:59.999Z (old radio), said on r1`. */
function reasonOf({ node, line }: Quieting): string {
  const what = line.kind === 'allow' ? 'allowed' : 'under maintenance';
  return `${what} by ${line.owner} until ${line.until}: ${line.reason} (expectations of ${nodeRef(node)})`;
}

function endedText(proposal: Proposal, { node, line }: Quieting): string {
  return `${hypothesisOf(proposal)}: the line of ${line.owner} that allowed it (${line.reason}) in the expectations of ${nodeRef(node)} ended ${line.until}`;
}
