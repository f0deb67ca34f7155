// What a node told through a neighbour, as if it had told it itself: whose word it is and what it was asked. A neighbour that answers for
// another than the one it was asked about tells nothing.
import { isJsonObject } from '#base/json.ts';
import type { Evidence } from '../evidence.ts';

/** Hosts on the ports of a relayed node; any other evidence stays as it is. */
export function asTold(entry: Evidence): Evidence {
  const { kind, request, body } = entry;
  const args = request.params['arguments'];
  if (kind !== 'relayed' || !isJsonObject(args) || !isJsonObject(body)) return entry;
  const [node, asked, told] = [args['node'], args['hosts'], body['hosts']];
  if (typeof node !== 'string' || body['node'] !== node || !isJsonObject(asked) || !isJsonObject(told)) return entry;
  const { purpose } = entry;
  return {
    ...entry,
    purpose: purpose.kind === 'relay' ? purpose.of : purpose,
    node,
    kind: 'host-scan',
    request: { ...request, params: { ...request.params, arguments: asked } },
    body: told,
  };
}
