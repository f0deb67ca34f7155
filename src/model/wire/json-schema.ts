// The JSON Schema that a tool shows, made from the schema by which its arguments are checked.
import * as z from 'zod';
import type { JsonObject } from '#base/json.ts';

/** Of arguments, as a caller writes them: what has a default may be left out. */
export function argumentSchema(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return rest as JsonObject;
}
