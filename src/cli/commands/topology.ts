// `parley topology`: the network as the nodes tell it, as a table, as JSON, or as a drawing for whatever renders Mermaid. Draws nothing itself.
import { LIMITS } from '#base/limits.ts';
import { SIGN_NAMES } from '#model/links/link-indicators.ts';
import type { MapLink, NetworkMap } from '#model/links/network-map.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, type Output, printable, table } from '../terminal/output.ts';

/** Ends with 0 when all that is expected is there, with 1 when something is missing, with 3 when a node says nothing. */
export function topologyCommand(options: AgentOptions & { readonly mermaid?: boolean }): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withClient(options, async (client) => {
    const told = await client
      .callTool(
        'parley-topology',
        {},
        {
          timeoutMs: LIMITS.investigationMs + LIMITS.callMs,
          onProgress: ({ message }) => output.progress(`· ${message}`),
        },
      )
      .catch((error) => {
        throw asLocalError(error);
      });
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
    `${nodes.length} nodes, ${links.length} links: ${confirmed} confirmed, ${likely} likely, ${claimed} claimed by one end alone`,
  );
  const silent = nodes.filter(({ seen }) => !seen).map(({ node }) => node);
  if (silent.length > 0) output.line(`nothing is known of ${silent.map(printable).join(', ')}: no answer`);
  if (links.length > 0) output.line(`\n${table(['link', 'state', 'confidence', 'said by'], links.map(cells))}`);
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

/** How a link is drawn: whole where both ends agree, dotted where one end alone claims it, crossed where it is down. */
function arrow({ state, confidence }: MapLink): string {
  if (state === 'down') return 'x--x';
  return confidence === 'claimed' ? '-.-' : '---';
}

/** A Mermaid flowchart. Names of devices go in as quoted text: none of their characters means anything there. */
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

/** Mermaid knows entities of decimal codes. */
function quoted(text: string): string {
  return printable(text).replace(/[^\w .:/-]/g, (char) => `#${char.codePointAt(0)};`);
}
