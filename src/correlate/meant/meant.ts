// What operators said is meant: a finding that an `allow` line or a maintenance window covers accuses no node, and the answer says what was
// silenced, by whom, why and until when. A line past its end speaks again. Judged by the asked node's clock alone, which the report keeps.
import type { Said, Silenced } from '#model/expectations.ts';
import type { AllowLine, ExpectationLine, MaintenanceLine } from '#model/router/expectations.ts';
import type { CaseFile } from '../engine/facts.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import type { LossSymptom } from '../engine/loss-symptom.ts';
import type { Ranked } from '../engine/rank.ts';
import type { Symptom } from '../engine/symptom.ts';
import { agentContradicted } from '../faults/nodes/agent-contradicted.ts';
import { expectationUnmet } from '../faults/nodes/expectation-unmet.ts';
import { WITH_MS } from '../health/planned-losses.ts';
import type { Loss } from '../network/lost-neighbours.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { World } from '../network/world.ts';
import { silentNodeSymptom } from '../symptoms/silent-nodes.ts';
import { hypothesisOf } from '../text/hypothesis.ts';
import { excusedBy, type Places, placesOf } from './excused.ts';

/** Of what another agent says of its own file. */
const REFUSAL_CHARS = 300;

/** A line, and whose file it is in. */
export type LineOf<Line extends ExpectationLine = ExpectationLine> = {
  readonly node: string;
  /** In the file of the asked node, which may speak of all others. */
  readonly isOwn: boolean;
  readonly line: Line;
};

export type Meant = {
  /** The silenced proposals accuse no node any more, and still explain what they explained. */
  readonly ranked: Ranked;
  /** What is over and is not silenced. */
  readonly over: readonly Proposal[];
  readonly silenced: readonly Silenced[];
  /** Windows that are open now at places in scope. */
  readonly maintained: number;
  /** These windows, which findings stand since their line ended, and whose files are not applied. */
  readonly remarks: readonly string[];
  /** A part of the proof of health that is missing because of what was silenced, or is under maintenance. */
  excuses(lacking: string): boolean;
};

/** `over`: what was wrong within the time asked about. */
export function meantOf(
  file: CaseFile,
  losses: readonly LossSymptom[],
  said: Said | undefined,
  weighed: Ranked,
  over: readonly Proposal[],
): Meant {
  const ranked = withResults(file, withExpected(file, weighed));
  const lines = linesOf(file.world, said);
  const refused = [...file.world.views.values()].flatMap(({ state }) =>
    state.expectationsRefused === undefined ? [] : [state.expectationsRefused.slice(0, REFUSAL_CHARS)],
  );
  if (said === undefined || lines.length === 0)
    return { ranked, over, silenced: [], maintained: 0, remarks: refused, excuses: () => false };
  const nowMs = Date.parse(said.at);
  const windows = windowsOf(file.world, lines, nowMs);
  const judge = judgeOf(file, lines, nowMs);
  const judged = [...ranked.chosen, ...over]
    .filter(({ accuses }) => accuses !== false)
    .map((proposal) => ({ proposal, ...judge(proposal) }));
  const quiet = judged.filter(({ covering }) => covering !== undefined);
  const isQuiet = (proposal: Proposal) => quiet.some((each) => each.proposal === proposal);
  const excuses = excusedBy(
    file,
    losses,
    quiet.map(({ proposal }) => proposal),
    windows.flatMap(({ nodes }) => nodes),
  );
  const isMaintained = (places: Places) => meetsAll(windows, places);
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
      open: ranked.open.filter((symptom) => !isMaintained(placesOfSymptom(symptom))),
      unexplained: ranked.unexplained.filter(({ fact: { value } }) => {
        const links = value.link === undefined ? [] : [value.link];
        return !isMaintained({ nodes: [value.from, value.to], links });
      }),
      lost: [...ranked.lost, ...quiet.map(({ proposal, covering }) => ({ proposal, why: reasonOf(covering!) }))],
    },
    over: over.filter((proposal) => !isQuiet(proposal)),
    silenced,
    maintained: windows.length,
    remarks: [...windows.map(({ text }) => text), ...ended, ...refused],
    excuses,
  };
}

/** A remark is none where operators said that this very thing must hold: then it is the fault that it is named after. */
function withExpected({ unmet = [] }: CaseFile, ranked: Ranked): Ranked {
  const wanted = new Map(unmet.flatMap((each) => each.symptoms.map((symptom) => [symptom, each] as const)));
  const wantedBy = ({ remark, explains }: Proposal) =>
    remark === undefined ? undefined : explains.flatMap(({ symptom }) => wanted.get(symptom) ?? [])[0];
  if (!ranked.chosen.some(wantedBy)) return ranked;
  return {
    ...ranked,
    chosen: ranked.chosen.map((proposal) => {
      const { remark, accuses, ...named } = proposal;
      const unmetBy = wantedBy(proposal);
      return unmetBy === undefined
        ? proposal
        : {
            ...named,
            evidence: [...named.evidence, ...unmetBy.source],
            details: { ...named.details, expected: unmetBy.text },
          };
    }),
    lost: ranked.lost.filter(({ proposal }) => !ranked.chosen.includes(proposal) || wantedBy(proposal) === undefined),
  };
}

/** What must hold and does not has a finding of its own where all that it is a result of was settled as remarks. */
function withResults(file: CaseFile, ranked: Ranked): Ranked {
  const settled = new Set(
    ranked.chosen.flatMap(({ remark, explains }) =>
      remark === undefined ? [] : explains.map(({ symptom }) => symptom),
    ),
  );
  const left = (file.unmet ?? []).filter(({ resultOf }) => resultOf?.every((symptom) => settled.has(symptom)));
  if (left.length === 0) return ranked;
  const unmet = left.map((each) => ({ ...each, symptoms: each.resultOf ?? [] }));
  return { ...ranked, chosen: [...ranked.chosen, ...expectationUnmet.propose({ ...file, unmet }, [])] };
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
function judgeOf(file: CaseFile, lines: readonly LineOf[], nowMs: number): (proposal: Proposal) => Judged {
  return (proposal) => {
    const { agoSeconds } = proposal.details;
    const atMs = nowMs - (typeof agoSeconds === 'number' ? agoSeconds * 1_000 : 0);
    const about = lines.filter((each): each is Quieting => covers(file, each, proposal));
    const covering = about.find(({ line }) => holdsAt(line, atMs));
    // That a maintenance window is over is no news.
    const ended = about.find(({ line }) => line.kind === 'allow' && Date.parse(line.until) < atMs);
    return { ...(covering === undefined ? {} : { covering }), ...(ended === undefined ? {} : { ended }) };
  };
}

function holdsAt(line: AllowLine | MaintenanceLine, atMs: number): boolean {
  return atMs <= Date.parse(line.until) && (line.kind === 'allow' || atMs >= Date.parse(line.from));
}

function covers(file: CaseFile, { node, isOwn, line }: LineOf, { fault, resource, explains }: Proposal): boolean {
  const places = placesOf(file.world, resource);
  // What other nodes may do is for the asked node's operators to say; and whether an agent may be contradicted is not for its own file.
  if (line.kind === 'expect' || (!isOwn && (!places.nodes.includes(node) || fault === agentContradicted.id)))
    return false;
  if (line.kind === 'allow')
    return (
      (line.fault === '*' || line.fault === fault) &&
      [resource, ...places.links].some((name) => fits(line.resource, name))
    );
  if (meets(line, places)) return true;
  // A fault of another node that shows at a maintained place alone, as a session that is down since its other end is.
  const symptoms = file.symptoms.filter(({ id }) => explains.some((share) => share.symptom === id));
  return symptoms.length > 0 && symptoms.every((symptom) => meetsAll([line], placesOfSymptom(symptom)));
}

type Window = Pick<MaintenanceLine, 'nodes' | 'links'> & { readonly text: string };

/** Windows that are open now, with the places of theirs that are in scope; those of other nodes' files at these nodes alone. */
function windowsOf({ nodes: scope, links }: World, lines: readonly LineOf[], nowMs: number): readonly Window[] {
  return lines.flatMap(({ node, isOwn, line }): readonly Window[] => {
    if (line.kind !== 'maintenance' || !holdsAt(line, nowMs)) return [];
    const nodes = line.nodes.filter((each) => scope.includes(each) && (isOwn || each === node));
    const theirs = links.filter(({ from, to }) => isOwn || from.node === node || to.node === node);
    const found = line.links.filter((each) => theirs.some(({ key }) => fits(`link/${each}`, key)));
    if (nodes.length + found.length === 0) return [];
    const places = [...nodes.map(nodeRef), ...found].join(', ');
    return [{ nodes, links: found, text: `${places}: ${reasonOf({ node, isOwn, line })}` }];
  });
}

/** Whether an end of what was lost, or its link, was under maintenance then, or within a minute of it. */
export function maintainedThen(world: World, said: Said | undefined): (loss: Loss) => boolean {
  if (said === undefined) return () => false;
  const nowMs = Date.parse(said.at);
  const windows = linesOf(world, said).flatMap(({ node, isOwn, line }) =>
    line.kind === 'maintenance' ? [{ ...line, by: isOwn ? undefined : node }] : [],
  );
  return ({ node, far, agoMs }) =>
    windows.some(({ by, from, until, ...window }) => {
      const [beganMs, endedMs, atMs] = [Date.parse(from), Date.parse(until), nowMs - agoMs];
      const nodes = [node, ...far];
      const links = world.links
        .filter((link) => [link.from.node, link.to.node].every((end) => nodes.includes(end)))
        .map(({ key }) => key);
      const isOpen = atMs >= beganMs - WITH_MS && atMs <= endedMs + WITH_MS;
      return isOpen && (by === undefined || nodes.includes(by)) && meets(window, { nodes, links });
    });
}

function meets(window: Pick<MaintenanceLine, 'nodes' | 'links'>, { nodes, links }: Places): boolean {
  return (
    window.nodes.some((each) => nodes.includes(each)) ||
    window.links.some((each) => links.some((key) => fits(`link/${each}`, key)))
  );
}

/** Of what several nodes show, as a way that packets take, one that is maintained explains too little: all of them must be. */
function meetsAll(windows: readonly Pick<MaintenanceLine, 'nodes' | 'links'>[], { nodes, links }: Places): boolean {
  const onLinks = windows.some((window) => meets(window, { nodes: [], links }));
  const under = (node: string) => windows.some((window) => window.nodes.includes(node));
  return onLinks || (nodes.length > 2 ? nodes.every(under) : nodes.some(under));
}

function placesOfSymptom(symptom: Symptom): Places {
  const { subject, nodes, link } = symptom;
  // Its other nodes are the neighbours that lost it.
  if (silentNodeSymptom.is(symptom)) return { nodes: [subject.split('/')[1]!], links: [] };
  return { nodes, links: link === undefined ? [] : [link.key] };
}

/** `*` stands for any text; the ends of a link may be named in either order. */
export function fits(pattern: string, name: string): boolean {
  if (isLike(pattern, name)) return true;
  const [one, other] = pattern.startsWith('link/') ? pattern.slice('link/'.length).split('--') : [];
  return one !== undefined && other !== undefined && isLike(`link/${other}--${one}`, name);
}

/** In one pass: a pattern of a peer with many stars takes no longer than another. */
function isLike(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
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
