// `completion/complete`: values for a prompt's argument or a resource template's place, from whoever offers it. Bounded as MCP
// says (100 values); what cannot be completed has none, which is no error.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { type OfferContext, WIRE_CODES } from '#model/offer.ts';
import type { CallerScope, Catalog } from './catalog.ts';
import { nameOfCode, RpcError } from './rpc.ts';

const MOST_VALUES = 100;

export async function completeArgument(
  catalog: Catalog,
  scope: CallerScope,
  params: JsonObject,
  context: OfferContext,
): Promise<JsonObject> {
  const { ref, argument } = params;
  if (!isJsonObject(ref ?? null) || !isJsonObject(argument ?? null))
    throw invalid('expected ref and argument, came something else');
  const { type, name, uri } = ref as JsonObject;
  const { name: place, value } = argument as JsonObject;
  if (typeof place !== 'string' || typeof value !== 'string')
    throw invalid('expected a name and a value, came something else');
  const complete =
    type === 'ref/prompt'
      ? catalog.prompts(scope).find((prompt) => prompt.name === name)?.complete
      : catalog.resources(scope).find((resource) => resource.uriTemplate === uri)?.complete;
  const values = complete === undefined ? [] : await complete(place, value, context);
  const shown = values.slice(0, MOST_VALUES);
  return { completion: { values: [...shown], total: values.length, hasMore: shown.length < values.length } };
}

function invalid(detail: string): RpcError {
  return new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), { detail });
}
