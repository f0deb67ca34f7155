// Operations with the types of a table: handlers on the side of the helper, whose arguments have passed their schemas, and calls on the side of
// the agent. The helper is of the agent's own release: what it answers is not checked again.
import type * as z from 'zod';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { checked } from '#model/wire/check.ts';
import type { Wire } from '#model/wire/fields.ts';
import { createHelperClient, type HelperCallOptions } from './client.ts';
import type { Operation, OperationContext } from './operation.ts';
import type { ReadOperations } from './read-operations.ts';

export type TypedClient<Table> = {
  /** Rejects as `HelperClient.call` of client.ts does. */
  call<Name extends keyof Table & string>(
    operation: Name,
    request: Table[Name] extends { readonly request: infer Request } ? Request : never,
    options?: HelperCallOptions,
  ): Promise<Table[Name] extends { readonly answer: infer Answer } ? Answer : never>;
};

export type ReadHelper = TypedClient<ReadOperations>;

export function createReadHelper(path: string): ReadHelper {
  const client = createHelperClient(path);
  return { call: (operation, request, options) => client.call(operation, request as JsonObject, options) as never };
}

type Requests = Readonly<Record<string, z.ZodType>>;

export type Handlers<Schemas extends Requests, Answers> = {
  readonly [Name in keyof Schemas & keyof Answers]: (
    request: Wire<Schemas[Name]>,
    context: OperationContext,
  ) => Promise<Answers[Name] extends { readonly answer: infer Answer } ? Answer : never>;
};

/** Each handler behind the check of its schema. */
export function operationsOf<Schemas extends Requests, Answers>(
  schemas: Schemas,
  handlers: Handlers<Schemas, Answers>,
): ReadonlyMap<string, Operation> {
  const names = Object.keys(schemas) as (keyof Schemas & keyof Answers & string)[];
  return new Map(
    names.map((name): [string, Operation] => [
      name,
      async (args, context) => {
        const request = checked(schemas[name]!, args) as Wire<Schemas[typeof name]>;
        return (await handlers[name](request, context)) as JsonValue;
      },
    ]),
  );
}
