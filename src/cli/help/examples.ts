// What an operator may type, for each command: shown by `--help` and in the man pages. A test reads each of them with the command tree.

export type Example = { readonly line: string; readonly does: string };

const EXAMPLES: Readonly<Record<string, readonly (readonly [line: string, does: string])[]>> = {
  '': [
    ['parley ask what is wrong', 'asks the agent of this machine about the whole network'],
    ['parley doctor', 'says what is wrong with this installation'],
    ['parley history p2 eth1 --since 12h', 'shows what happened to an interface'],
  ],
  agent: [['parley agent --config /etc/parley/parley.yaml', 'runs the agent of this node']],
  ask: [
    ['parley ask what is wrong', 'looks at the whole network'],
    ['parley ask "packet loss from pe1 to pe3 via p2?"', 'measures one path'],
    ['parley ask why is bgp neighbour 192.0.2.1 down', 'asks about a session'],
    ['parley ask "anything weird last night?" --explain', 'asks about the past, and shows the evidence'],
    ['parley ask what is wrong --json --save report.json', 'for a program; keeps the sealed report'],
  ],
  history: [
    ['parley history', 'what happened everywhere in the last day'],
    ['parley history p2 eth1 --since 12h', 'to one interface'],
    ['parley history pe1--p2 --since "last night"', 'to the link between two nodes'],
    ['parley history 192.0.2.1 --since 7d --until 1d', 'to the session with a BGP peer'],
  ],
  diff: [
    ['parley diff --ca ca.pem', 'what differs between the latest two reports of one question'],
    ['parley diff last --since 10m --ca ca.pem', 'what changed in the ten minutes before the newest report'],
  ],
  peers: [['parley peers', 'the agents that this node knows, and their versions']],
  topology: [['parley topology --mermaid', 'the links as a drawing']],
  'tech-support': [['parley tech-support --out pe1.txt', 'collects what a colleague will ask for']],
  get: [
    ['parley get "/openconfig-interfaces:interfaces/interface[name=\'eth1\']"', 'YANG data'],
    ['parley get network:///routing/ipv4/route-table', 'a table of any size'],
  ],
  tools: [
    ['parley tools', 'what parley call can call'],
    ['parley tools network.yang.get', 'what one tool takes'],
  ],
  call: [['parley call parley-peers', 'calls a tool without arguments']],
  remedy: [
    ['parley remedy', 'what the remedies of the newest report would change'],
    ['parley remedy last --finding 1 --apply', 'makes one change, and keeps it only if it helps'],
  ],
  halt: [['parley halt --reason "maintenance of pe1"', 'this node refuses all but reads of admins']],
  resume: [['parley resume --reason done', 'this node goes on']],
  approvals: [['parley approvals', 'changes that wait for an admin']],
  approve: [['parley approve 8f3a --identity ~/.parley/alice', 'agrees to one change']],
  deny: [['parley deny 8f3a --identity ~/.parley/alice', 'refuses it']],
  'backup save': [['parley backup save --out pe1.backup --recipient backup.pem', 'encrypted to one key']],
  'backup restore': [['parley backup restore pe1.backup --key backup.key', 'into the candidate configuration']],
  'baseline save': [['parley baseline save --yes', 'expects the network as the newest healthy report has it']],
  'baseline import': [['parley baseline import lab.clab.yml', 'expects the links of a topology']],
  'baseline show': [['parley baseline show --all', 'what is expected']],
  'baseline clear': [['parley baseline clear', 'expects nothing any more']],
  allow: [
    ['parley allow 1 --reason "customer test" --until 14d', 'the first finding of the newest report is meant'],
    ['parley allow --list', 'what is allowed'],
  ],
  'expectations save': [['parley expectations save expectations.yaml', 'checks the file, and keeps it']],
  'expectations import': [['parley expectations import lab.clab.yml --print', 'shows what would be added']],
  'expectations show': [['parley expectations show', 'what was said, and by whom']],
  'expectations clear': [['parley expectations clear', 'removes the file']],
  mcp: [['parley mcp', 'an MCP server on standard input and output']],
  'mcp install': [['parley mcp install --host claude-code', 'the settings for one MCP host']],
  doctor: [
    ['parley doctor', 'checks this installation'],
    ['parley doctor --json', 'for a program'],
  ],
  'report list': [['parley report list', 'what this node keeps']],
  'report show': [
    ['parley report show', 'the newest report'],
    ['parley report show last --explain', 'with the evidence of each finding'],
  ],
  'report export': [['parley report export last report.json', 'the newest report as a file']],
  'report delete': [['parley report delete --older-than 30d --verdict healthy', 'by age and verdict']],
  'report verify': [['parley report verify report.json --ca ca.pem', 'needs no agent and no network']],
  'audit verify': [['parley audit verify --ca /etc/parley/ca.pem', 'checks the chain and who signed it']],
  'audit tail': [['parley audit tail -n 50 -f', 'follows the trail']],
  'audit export': [['parley audit export --from 12h --format rfc5424', 'as syslog messages']],
  'ca init': [['parley ca init --domain lab.example', 'makes the CA of a domain']],
  'ca issue': [
    ['parley ca issue pe1 --out pe1', 'the identity of a node'],
    ['parley ca issue alice --kind operator --role admin --out alice', 'that of an admin'],
  ],
  'ca registrar': [['parley ca registrar pe1 --out registrar', 'lets pe1 give nodes their certificates']],
  'ca revoke': [['parley ca revoke pe7 --reason "stolen"', 'revokes all certificates of a node']],
  'registrar code': [['parley registrar code pe7', 'a code for one new node']],
  enrol: [['parley enrol --help', 'what a new node shows to get its certificate']],
  completion: [
    ['parley completion bash > /etc/bash_completion.d/parley', 'for bash'],
    ['parley completion zsh > "${fpath[1]}/_parley"', 'for zsh'],
    ['parley completion fish > ~/.config/fish/completions/parley.fish', 'for fish'],
  ],
  man: [
    ['parley man report show | man -l -', 'reads one page'],
    ['parley man --out /usr/local/share/man/man1', 'writes all of them'],
  ],
};

/** `words` begin with `parley`. */
export function examplesOf(words: readonly string[]): readonly Example[] {
  return (EXAMPLES[words.slice(1).join(' ')] ?? []).map(([line, does]) => ({ line, does }));
}

/** For commands that have none. */
export function exampleKeys(): readonly string[] {
  return Object.keys(EXAMPLES);
}

/** Below the help of a command. */
export function exampleText(words: readonly string[]): string {
  const examples = examplesOf(words);
  if (examples.length === 0) return '';
  return `\nExamples:\n${examples.map(({ line, does }) => `    ${line}\n        ${does}`).join('\n')}`;
}
