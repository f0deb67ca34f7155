// The calls by which the page prepares, applies and undoes a change, and hands in a decision that was signed in the browser (TS-19, TS-28).
// A closed list: the page makes no other call that changes anything. None of them gives a right: the operator's role and the rules decide,
// and then an admin's signature.

export const CHANGE_CALLS = '/console/call/';

const TOOLS: readonly string[] = [
  'network.cli.configure',
  'network.commit',
  'network.rollback',
  'network.file.pull',
  'parley-decide',
];

/** The tool of `/console/call/<tool>`; undefined for one that is not on the list. */
export function changeTool(path: string): string | undefined {
  const name = path.slice(CHANGE_CALLS.length);
  return TOOLS.find((each) => each === name);
}
