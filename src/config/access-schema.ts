// The part of the configuration that says who may do what [NET-16]: roles by name, rule lists in the manner of RFC 8341, and defaults.
// Refuses a rule that names targets of two kinds, or a path that cannot be read: a rule that means nothing would deny nothing.
import { z } from 'zod';
import { ACCESS_OPERATIONS, type AccessRule } from '#model/access.ts';
import { ROLES } from '#model/identity.ts';
import { parsePath } from '#model/router/yang-path.ts';

const name = z.string().min(1).max(128);
const pattern = z.string().min(1).max(1_024);
const action = z.enum(['permit', 'deny']);

/** `*` in RFC 8341: all of them. */
const operations = z
  .union([z.literal('*').transform(() => [...ACCESS_OPERATIONS]), z.array(z.enum(ACCESS_OPERATIONS)).min(1)])
  .default([...ACCESS_OPERATIONS]);

const ruleSchema = z
  .strictObject({
    name,
    action,
    operations,
    tool: pattern.optional(),
    class: z.enum(['read', 'probe', 'write']).optional(),
    resource: pattern.optional(),
    module: name.optional(),
    path: pattern.optional(),
  })
  .transform(({ path, ...rule }, context): AccessRule => {
    const kinds = [rule.tool ?? rule.class, rule.resource, rule.module ?? path].filter((kind) => kind !== undefined);
    if (kinds.length > 1) {
      context.addIssue({
        code: 'custom',
        message: 'expected a tool, a resource or YANG data, got more than one of them',
      });
    }
    if (path === undefined) return withoutUndefined(rule);
    const steps = parsePath(path);
    if (!steps.ok) {
      context.addIssue({ code: 'custom', path: ['path'], message: steps.reason });
      return z.NEVER;
    }
    return { ...withoutUndefined(rule), path: steps.value };
  });

const listSchema = z.strictObject({
  name,
  /** observer, operator, admin, node, controller, operator/alice, or * for every caller. */
  groups: z.array(name).min(1).max(256),
  rules: z.array(ruleSchema).max(1_024),
});

export const accessSchema = z.strictObject({
  roles: z.record(name, z.enum(ROLES)).default({}),
  rules: z.array(listSchema).max(64).default([]),
  defaults: z
    .strictObject({ read: action.default('permit'), write: action.default('deny'), exec: action.default('deny') })
    .prefault({}),
});

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}
