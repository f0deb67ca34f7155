// `parley topology`: the network as its nodes report it, as a table, as JSON, or as Mermaid text for a renderer.
import { LIMITS } from '#base/limits.ts';
import { SIGN_NAMES } from '#model/links/link-indicators.ts';
import type { MapLink, NetworkMap } from '#model/links/network-map.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, type Output, printable, table } from '../terminal/output.ts';

/** Exit code 0: everything expected is there; 1: something is missing; 3: a node did not answer. */
export function topologyCommand(options: AgentOptions & { readonly mermaid?: boolean }): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withClient(options, async (client) => {
    const told = await client
      .callTool(
        'parley-topology',
        {},
        {
          timeoutMs: LIMITS.investigationMs + LIMITS.callMs,
          onProgress: ({ message }) => output.phase?.(message.split(':')[0] ?? '', message),
        },
      )
      .catch((error) => {
        throw asLocalError(error);
      })
      .finally(() => output.endPhases?.());
    output.result(told);
    const topology = told as unknown as NetworkMap;
    if (options.mermaid) output.line(drawn(topology));
    else tell(topology, output);
    if (topology.missing.length > 0) return EXIT.findings;
    return topology.nodes.every(({ seen }) => seen) ? EXIT.ok : EXIT.incomplete;
  });
}

function tell({ nodes, links, confidence, missing, remarks }: NetworkMap, output: Output): void {
  const { confirmed, likely, claimed } = confidence;
  output.line(
    `${nodes.length} nodes, ${links.length} links: ${confirmed} confirmed, ${likely} likely, ${claimed} claimed by one end only`,
  );
  const silent = nodes.filter(({ seen }) => !seen).map(({ node }) => node);
  if (silent.length > 0) output.line(`no answer from ${silent.map(printable).join(', ')}: their links are unknown`);
  if (links.length > 0) output.line(`\n${table(['link', 'state', 'confidence', 'reported by'], links.map(cells))}`);
  if (missing.length > 0) output.line('\nmissing or down');
  for (const line of missing) output.line(`  ${printable(line)}`);
  if (remarks.length > 0) output.line('\nodd');
  for (const line of remarks) output.line(`  ${printable(line)}`);
}

function cells({ from, to, state, confidence, signs, contradictions }: MapLink): readonly string[] {
  const ends = `${from.node} ${from.ifname} – ${to.node} ${to.ifname}`;
  const said = [signs.map((sign) => SIGN_NAMES[sign]).join(', ') || '-', ...contradictions].join('; ');
  return [ends, state, confidence, said].map(printable);
}

/** Lines of links: solid if both ends agree, dotted if one end alone claims it, crossed if it is down. */
function arrow({ state, confidence }: MapLink): string {
  if (state === 'down') return 'x--x';
  return confidence === 'claimed' ? '-.-' : '---';
}

/** A Mermaid flowchart. Device names are quoted text: none of their characters has a meaning there. */
export function drawn({ nodes, links }: NetworkMap): string {
  const names = new Set([...nodes.map(({ node }) => node), ...links.flatMap(({ from, to }) => [from.node, to.node])]);
  const ids = new Map([...names].sort().map((name, index) => [name, `n${index}`]));
  const seen = new Set(nodes.filter((each) => each.seen).map(({ node }) => node));
  return [
    'graph LR',
    ...[...ids].map(([name, id]) => (seen.has(name) ? `  ${id}["${quoted(name)}"]` : `  ${id}(["${quoted(name)} ?"])`)),
    ...links.map((link) => {
      const ports = `${quoted(link.from.ifname)} – ${quoted(link.to.ifname)}`;
      return `  ${ids.get(link.from.node)} ${arrow(link)}|"${ports}"| ${ids.get(link.to.node)}`;
    }),
  ].join('\n');
}

/** Mermaid reads decimal character entities. */
function quoted(text: string): string {
  return printable(text).replace(/[^\w .:/-]/g, (char) => `#${char.codePointAt(0)};`);
}
