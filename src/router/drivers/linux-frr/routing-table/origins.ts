// Where the prefixes of BGP routes come from, and whether the RPKI lets that AS announce them (RFC 6811): asked of bgpd for the destinations of one call
// alone, and only where it is connected to a cache.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { RouteAnswer, RouteOrigin } from '#model/router/router-port.ts';
import { ROUTER_LIMITS } from '../../../limits.ts';
import type { ReadHelper } from '../../../protocol/typed-operations.ts';
import { jsonOf, objectOf } from '../frr/daemons-json.ts';
import { textOf } from '../kernel/ip-command.ts';

/**
 * Without an answer of the helper the routes stay as they are. Of a node that checks, those that bgpd was not asked of, since one call asks of a few
 * alone, or that it did not answer, say so.
 */
export async function withOrigins(
  answers: readonly RouteAnswer[],
  helper: Pick<ReadHelper, 'call'>,
  signal?: AbortSignal,
): Promise<readonly RouteAnswer[]> {
  const ofBgp = answers.filter(({ protocol }) => protocol === 'bgp').map(({ destination }) => destination);
  const asked = ofBgp.slice(0, ROUTER_LIMITS.bgpOrigins);
  if (asked.length === 0) return answers;
  const texts = await helper.call('bgp-origins', { destinations: asked }, { signal }).catch(() => []);
  signal?.throwIfAborted();
  if (texts.length === 0) return answers;
  const told = new Map(asked.map((destination, index) => [destination, texts[index] ?? '']));
  return answers.map((answer) => {
    if (answer.protocol !== 'bgp') return answer;
    const text = told.get(answer.destination) ?? '';
    const origin = parseOrigin(text);
    return {
      ...answer,
      ...(text === '' ? { originUnread: true as const } : {}),
      ...(origin === undefined ? {} : { origin }),
    };
  });
}

const VALIDITY: Readonly<Record<string, RouteOrigin['validity']>> = {
  valid: 'valid',
  invalid: 'invalid',
  'not found': 'not-found',
};

/** `show bgp … ADDRESS json`: its best path; undefined where it has none, or does not say whether it is valid. */
export function parseOrigin(text: string): RouteOrigin | undefined {
  const value = objectOf(jsonOf(text));
  const prefix = textOf(value['prefix']);
  const paths = Array.isArray(value['paths']) ? value['paths'].filter((path) => isJsonObject(path)) : [];
  const best = paths.find((path) => objectOf(path['bestpath'])['overall'] === true);
  const validity = VALIDITY[textOf(best?.['rpkiValidationState']) ?? ''];
  if (prefix === undefined || best === undefined || validity === undefined) return undefined;
  return { prefix, asPath: asPathOf(best), validity };
}

/** Sequences alone: a set names ASes in no order (RFC 4271 §4.3), and no origin. */
function asPathOf(path: JsonObject): readonly number[] {
  const segments = objectOf(path['aspath'])['segments'];
  return (Array.isArray(segments) ? segments : []).flatMap((segment) => {
    if (!isJsonObject(segment) || segment['type'] !== 'as-sequence') return [];
    const list = segment['list'];
    return Array.isArray(list) ? list.filter((each) => typeof each === 'number') : [];
  });
}
