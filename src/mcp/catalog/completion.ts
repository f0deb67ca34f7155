// `completion/complete`: values for a prompt argument or a place of a resource template, from its definition. At most 100 values, as MCP
// requires. A place without completion yields an empty list, not an error.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { type CallContext, WIRE_CODES } from '#model/definition.ts';
import { nameOfCode, RpcError } from '../protocol/rpc.ts';
import type { Catalog } from './catalog.ts';
import type { CallerScope } from './permission.ts';

const MOST_VALUES = 100;

export async function completeArgument(
  catalog: Catalog,
  scope: CallerScope,
  params: JsonObject,
  context: CallContext,
): Promise<JsonObject> {
  const { ref, argument } = params;
  if (!isJsonObject(ref ?? null) || !isJsonObject(argument ?? null))
    throw invalid('expected ref and argument, got something else');
  const { type, name, uri } = ref as JsonObject;
  const { name: place, value } = argument as JsonObject;
  if (typeof place !== 'string' || typeof value !== 'string')
    throw invalid('expected a name and a value, got something else');
  const values =
    type === 'ref/prompt'
      ? await promptValues(catalog, scope, name, place, value, context)
      : await resourceValues(catalog, scope, uri, place, value, context);
  const shown = values.slice(0, MOST_VALUES);
  return { completion: { values: [...shown], total: values.length, hasMore: shown.length < values.length } };
}

/** A value may be a name that is hidden from the caller. */
async function promptValues(
  catalog: Catalog,
  scope: CallerScope,
  name: JsonValue | undefined,
  place: string,
  value: string,
  context: CallContext,
): Promise<readonly string[]> {
  if (catalog.hidesData(scope)) return [];
  const prompt = catalog.prompts(scope).find((definition) => definition.name === name);
  return (await prompt?.complete?.(place, value, context)) ?? [];
}

async function resourceValues(
  catalog: Catalog,
  scope: CallerScope,
  uri: JsonValue | undefined,
  place: string,
  value: string,
  context: CallContext,
): Promise<readonly string[]> {
  const definition = catalog.resources(scope).find((resource) => resource.uriTemplate === uri);
  if (definition === undefined) return [];
  const values = (await definition.complete?.(place, value, context)) ?? [];
  return values.filter((each) =>
    catalog.mayRead(scope, definition, definition.uriTemplate.replace(`{${place}}`, each)),
  );
}

function invalid(detail: string): RpcError {
  return new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), { detail });
}
