// What a client may put into a prompt's places (NET-10): checked by type, range, pattern and format before anything is rendered,
// so that no value can become a second command, a path or markup of ours.
import { ParleyError } from '#base/error.ts';
import { isIpAddress } from '#base/ip.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { type PromptArgument, WIRE_CODES } from '#model/definition.ts';
import type { TemplateArgument, Values } from './template.ts';

/** Names of interfaces, VRFs and the like; also what a plain string may hold beside blanks. */
const WORD = /^[A-Za-z0-9_.:@/-]{1,64}$/;
const PLAIN = /^[^\u0000-\u001f\u007f`"'\\<>{}|;&$]{0,256}$/;

export function argumentJson(argument: TemplateArgument): PromptArgument {
  const { name, description, required, type, pattern, minimum, maximum } = argument;
  const schema: Record<string, JsonValue> = { type };
  if (pattern !== undefined) schema['pattern'] = pattern;
  if (minimum !== undefined) schema['minimum'] = minimum;
  if (maximum !== undefined) schema['maximum'] = maximum;
  if (argument.enum !== undefined) schema['enum'] = argument.enum;
  if (argument.format !== undefined) schema['format'] = argument.format;
  if (type === 'array') schema['items'] = { type: 'string' };
  return { name, description, required, schema };
}

/** Values by place; an IPv6 address also has `<name>_v6`, a word of an enumeration `<name>_<word>`. Throws `caller/prompt-argument`. */
export function checkArguments(declared: readonly TemplateArgument[], given: JsonObject): Values {
  const unknown = Object.keys(given).find((name) => !declared.some((argument) => argument.name === name));
  if (unknown !== undefined)
    throw refuse(`expected only ${declared.map(({ name }) => name).join(', ')}, got ${unknown}`, unknown);
  const values: Record<string, string> = {};
  for (const argument of declared) {
    const value = given[argument.name];
    if (value === undefined || value === '') {
      if (argument.required) throw refuse(`expected the argument ${argument.name}, got none`, argument.name);
      continue;
    }
    values[argument.name] = checked(argument, value);
    if (argument.enum !== undefined) values[`${argument.name}_${values[argument.name]!}`] = 'yes';
    if (argument.format === 'ip' && values[argument.name]!.includes(':')) values[`${argument.name}_v6`] = 'yes';
  }
  return values;
}

function checked(argument: TemplateArgument, value: JsonValue): string {
  const { name, type } = argument;
  if (type === 'integer') return checkedNumber(argument, value);
  if (type === 'array') {
    // MCP prompt arguments are texts: a list comes as an array from programs and with commas from people.
    const items: readonly JsonValue[] = Array.isArray(value) ? value : String(value).split(',');
    if (items.length > 64 || !items.every((item) => WORD.test(String(item))))
      throw refuse(`expected names in ${name}, got something else`, name);
    return items.map(String).join(',');
  }
  const text = String(value);
  const fits =
    argument.format === 'ip'
      ? isIpAddress(text)
      : argument.format === 'interface'
        ? WORD.test(text)
        : argument.enum !== undefined
          ? argument.enum.includes(text)
          : PLAIN.test(text) && (argument.pattern === undefined || new RegExp(argument.pattern).test(text));
  if (fits) return text;
  throw refuse(
    `expected ${argument.format ?? argument.enum?.join(' or ') ?? argument.pattern ?? 'plain text'} in ${name}, got another value`,
    name,
  );
}

/** A number that no platform can take is NET-13's own example of −32084. */
function checkedNumber(argument: TemplateArgument, value: JsonValue): string {
  const { name, minimum, maximum, label = name, path = name } = argument;
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(number)) throw refuse(`expected a whole number in ${name}, got something else`, name);
  const beyond =
    maximum !== undefined && (number as number) > maximum
      ? `> maximum ${maximum}`
      : minimum !== undefined && (number as number) < minimum
        ? `< minimum ${minimum}`
        : undefined;
  if (beyond === undefined) return String(number);
  throw new ParleyError('caller/prompt-argument', `${label} ${String(number)} ${beyond}`, {
    data: { wireCode: WIRE_CODES.configIncompatible, path, retryPossible: false },
  });
}

function refuse(message: string, path: string): ParleyError {
  return new ParleyError('caller/prompt-argument', message, { data: { wireCode: WIRE_CODES.invalidParams, path } });
}
