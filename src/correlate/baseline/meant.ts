// What operators said is meant: a finding that an `allow` line or a maintenance window covers accuses nobody, and the answer says what was
// silenced, by whom, why and until when. A line past its end speaks again. Judged by the asked node's clock alone, which the report keeps.
import type { Said, Silenced } from '#model/expectations.ts';
import type { LinkEnd } from '#model/names.ts';
import type { AllowLine, ExpectationLine, MaintenanceLine } from '#model/router/expectations.ts';
import type { CaseFile } from '../engine/facts.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import type { Ranked } from '../engine/rank.ts';
import { nodeRef } from '../network/node-ref.ts';
import { linkOn, type World } from '../network/world.ts';
import { hypothesisOf } from '../text/hypothesis.ts';

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
  /** What was silenced, which findings stand since their line ended, and whose files are not applied. */
  readonly remarks: readonly string[];
  /** A part of the proof of health that is missing because of what was silenced, or is under maintenance. */
  excuses(lacking: string): boolean;
};

/** `over`: what was wrong within the time asked about. */
export function meantOf(file: CaseFile, said: Said | undefined, ranked: Ranked, over: readonly Proposal[]): Meant {
  const lines = linesOf(file.world, said);
  const refused = [...file.world.views.values()].flatMap(({ state }) => state.expectationsRefused ?? []);
  if (said === undefined || lines.length === 0)
    return { ranked, over, silenced: [], remarks: refused, excuses: () => false };
  const judge = judgeOf(file.world, lines, Date.parse(said.at));
  const judged = [...ranked.chosen, ...over]
    .filter(({ accuses }) => accuses !== false)
    .map((proposal) => ({ proposal, ...judge(proposal) }));
  const quiet = judged.filter(({ covering }) => covering !== undefined);
  const isQuiet = (proposal: Proposal) => quiet.some((each) => each.proposal === proposal);
  const marks = quiet.flatMap(({ proposal }) => marksOf(file, proposal));
  const silenced = quiet.map(({ proposal, covering }) => silencedBy(proposal, covering!));
  const ended = judged.flatMap((each) =>
    each.covering !== undefined || each.ended === undefined ? [] : [endedText(each.proposal, each.ended)],
  );
  return {
    ranked: {
      ...ranked,
      chosen: ranked.chosen.map((proposal) => (isQuiet(proposal) ? { ...proposal, accuses: false } : proposal)),
      lost: [...ranked.lost, ...quiet.map(({ proposal, covering }) => ({ proposal, why: reasonOf(covering!) }))],
    },
    over: over.filter((proposal) => !isQuiet(proposal)),
    silenced,
    remarks: [...silenced.map(({ text }) => text), ...ended, ...refused],
    excuses: (lacking) => marks.some((mark) => lacking.includes(mark)),
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

/** Nodes and links that a resource is, lies on, or leads to. */
function placesOf(
  world: World,
  resource: string,
): { readonly nodes: readonly string[]; readonly links: readonly string[] } {
  const [form, name = '', ifname] = resource.split('/');
  if (form === 'link') {
    const ends = resource.slice('link/'.length).split('--');
    return { nodes: ends.map((end) => end.split(':')[0]!), links: [resource] };
  }
  if (form !== 'interface' || ifname === undefined) return { nodes: [name], links: [] };
  const links = linkOn(world, { node: name, ifname: resource.slice(`interface/${name}/`.length) });
  return {
    nodes: [name, ...links.flatMap(({ from, to }) => [from.node, to.node])],
    links: links.map(({ key }) => key),
  };
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

/** How lines of the proof name what a proposal explains: both ends of its links, and the words of its symptoms. */
function marksOf(file: CaseFile, { resource, explains }: Proposal): readonly string[] {
  const symptoms = file.symptoms.filter(({ id }) => explains.some((share) => share.symptom === id));
  const links = [
    ...file.world.links.filter(({ key }) => placesOf(file.world, resource).links.includes(key)),
    ...symptoms.flatMap(({ link }) => link ?? []),
  ];
  return [...links.flatMap(({ from, to }) => [from, to]).map(markOf), ...symptoms.map(({ text }) => text)];
}

function markOf({ node, ifname }: LinkEnd): string {
  return `${nodeRef(node)} ${ifname}`;
}
