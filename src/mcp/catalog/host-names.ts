// The names under which people's MCP hosts see the tools. Hosts hand tool names to language models, whose interfaces take letters, digits,
// `_` and `-`, at most 64 of them: the drafts' `network.yang.get` is listed as `network_yang_get`, and callable under both.

/** Characters of a tool's name that every host takes. */
const HOST_NAME_CHARS = 64;

export function hostNameOf(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, HOST_NAME_CHARS);
}

/** A text that names tools, with the names under which a host lists them. */
export function inHostNames(text: string, names: readonly string[]): string {
  // The longest first: one name may be the beginning of another.
  const dotted = names.filter((name) => hostNameOf(name) !== name).sort((one, other) => other.length - one.length);
  return dotted.reduce((told, name) => told.replaceAll(name, hostNameOf(name)), text);
}
