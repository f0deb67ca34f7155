// What an operator may type, for each command: shown by `--help` and in the man pages. A test reads each of them with the command tree.

export type Example = { readonly line: string; readonly does: string };

const EXAMPLES: Readonly<Record<string, readonly (readonly [line: string, does: string])[]>> = {
  '': [
    ['parley ask what is wrong', 'asks the agent of this machine about the whole network'],
    ['parley doctor', 'says what is wrong with this installation'],
    ['parley history p2 eth1 --since 12h', 'shows what happened to an interface'],
  ],
  setup: [
    ['parley setup', 'asks how this machine gets its certificate, then does the rest'],
    ['parley setup --trial', 'makes a CA here, for a first look'],
    ['parley setup --registrar pe1.lab.example --code-file code', 'joins the domain of a registrar, without questions'],
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
  peers: [
    ['parley peers', 'the agents that this node knows, and their versions'],
    ['parley peers --node p2', 'those that p2 knows'],
  ],
  topology: [
    ['parley topology', 'each link, and which of its ends reports it'],
    ['parley topology --mermaid', 'the links as a drawing'],
  ],
  'tech-support': [['parley tech-support --out pe1.txt', 'collects what a colleague will ask for']],
  get: [
    ['parley get "/openconfig-interfaces:interfaces/interface[name=\'eth1\']"', 'YANG data'],
    ['parley get network:///routing/ipv4/route-table', 'a table of any size'],
  ],
  tools: [
    ['parley tools', 'what parley call can call'],
    ['parley tools network.yang.get', 'what one tool takes'],
  ],
  call: [
    ['parley call parley-peers', 'calls a tool without arguments'],
    ['parley call network.yang.get \'{"path":"/ietf-interfaces:interfaces"}\'', 'with arguments'],
  ],
  remedy: [
    ['parley remedy', 'what the remedies of the newest report would change'],
    ['parley remedy last --finding 1 --apply', 'makes one change, and keeps it only if it helps'],
  ],
  halt: [['parley halt --reason "maintenance of pe1"', 'this node refuses all but reads of admins']],
  resume: [['parley resume --reason done', 'this node goes on']],
  approvals: [['parley approvals', 'changes that wait for an admin']],
  approve: [
    ['parley approve ID --identity ~/.parley/alice', 'agrees to the change of this id, as parley approvals shows it'],
  ],
  deny: [['parley deny ID --identity ~/.parley/alice', 'refuses it']],
  backup: [
    ['parley backup save --out pe1.backup --recipient backup.pem', 'encrypted to one key'],
    ['parley backup restore pe1.backup --key backup.key', 'into the candidate configuration'],
  ],
  'backup save': [['parley backup save --out pe1.backup --recipient backup.pem', 'encrypted to one key']],
  'backup restore': [['parley backup restore pe1.backup --key backup.key', 'into the candidate configuration']],
  baseline: [
    ['parley baseline save', 'expects the network as the newest healthy report has it'],
    ['parley baseline show', 'what is expected'],
  ],
  'baseline save': [['parley baseline save --yes', 'expects the network as the newest healthy report has it']],
  'baseline import': [['parley baseline import lab.clab.yml', 'expects the links of a topology']],
  'baseline show': [['parley baseline show --all', 'what is expected']],
  'baseline clear': [['parley baseline clear', 'expects nothing any more']],
  allow: [
    ['parley allow 1 --reason "customer test" --until 14d', 'the first finding of the newest report is meant'],
    ['parley allow --list', 'what is allowed'],
  ],
  expectations: [
    ['parley expectations save expectations.yaml', 'checks the file, and keeps it'],
    ['parley expectations show', 'what was said, and by whom'],
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
  report: [
    ['parley report show', 'the newest report'],
    ['parley report export last report.json', 'the newest report as a file'],
    ['parley report verify report.json --ca ca.pem', 'needs no agent and no network'],
  ],
  'report list': [['parley report list', 'what this node keeps']],
  'report show': [
    ['parley report show', 'the newest report'],
    ['parley report show 3f9c --explain', 'the report whose id begins so, with the evidence of each finding'],
  ],
  'report export': [['parley report export last report.json', 'the newest report as a file']],
  'report delete': [
    ['parley report delete 3f9c', 'the report whose id begins so'],
    ['parley report delete --older-than 30d --verdict healthy', 'by age and verdict'],
  ],
  'report verify': [['parley report verify report.json --ca ca.pem', 'needs no agent and no network']],
  audit: [
    ['parley audit verify --ca /etc/parley/ca.pem', 'checks the chain and who signed it'],
    ['parley audit tail -n 50 -f', 'follows the trail'],
  ],
  'audit verify': [['parley audit verify --ca /etc/parley/ca.pem', 'checks the chain and who signed it']],
  'audit tail': [['parley audit tail -n 50 -f', 'follows the trail']],
  'audit export': [['parley audit export --from 12h --format rfc5424', 'as syslog messages']],
  ca: [
    ['parley ca init --domain lab.example', 'makes the CA of a domain'],
    ['parley ca issue pe1 --out pe1', 'the identity of a node'],
    ['parley ca revoke pe7 --reason "stolen"', 'revokes all certificates of a node'],
  ],
  'ca init': [['parley ca init --domain lab.example', 'makes the CA of a domain']],
  'ca issue': [
    ['parley ca issue pe1 --out pe1', 'the identity of a node'],
    ['parley ca issue alice --kind operator --role admin --out alice', 'that of an admin'],
  ],
  'ca registrar': [['parley ca registrar pe1 --out registrar', 'lets pe1 give nodes their certificates']],
  'ca revoke': [['parley ca revoke pe7 --reason "stolen"', 'revokes all certificates of a node']],
  'ca trust-list': [['parley ca trust-list', 'what is revoked']],
  'ca rotate': [
    ['parley ca rotate begin', 'makes the next CA; nodes trust both'],
    ['parley ca rotate switch', 'the next CA issues'],
    ['parley ca rotate finish', 'ends the trust in the one before'],
  ],
  identity: [['parley identity --node pe3', 'until when the certificate of a node is good, and by whom it is renewed']],
  renew: [
    ['parley renew', 'renews the certificate of this node'],
    ['parley renew --own --identity ~/.parley/alice --node pe1', 'renews that of an operator'],
  ],
  'trust-list': [
    ['parley trust-list', 'which list this node goes by'],
    ['parley trust-list parley-ca/trust-list.json', 'hands the node a newer one'],
  ],
  registrar: [
    ['parley registrar code --node pe7', 'a code for one new node'],
    ['parley registrar list', 'which codes are open, used, locked or ended'],
  ],
  'registrar code': [
    ['parley registrar code --node pe7', 'a code for one new node'],
    ['parley registrar code --node leaf-## --count 48', 'codes for leaf-01 to leaf-48'],
    ['parley registrar code --operator alice --role admin', 'a code for an operator'],
  ],
  'registrar list': [['parley registrar list', 'which codes are open, used, locked or ended']],
  'registrar revoke': [['parley registrar revoke K7Q2M', 'removes the code that begins so']],
  'registrar sign': [
    ['parley registrar sign pe7.request --out pe7.granted', 'asks for the fingerprint that pe7 shows'],
  ],
  enrol: [
    ['parley enrol --registrar pe1.lab.example --code-file code', 'by the network'],
    ['parley enrol --request pe7.request', 'without a network: a file for "parley registrar sign"'],
    ['parley enrol --install pe7.granted', 'takes what "parley registrar sign" wrote'],
  ],
  operator: [['parley operator enrol alice --registrar pe1.lab.example --code-file code', 'a certificate for alice']],
  'operator enrol': [
    ['parley operator enrol alice --registrar pe1.lab.example --code-file code', 'and the file that a browser imports'],
  ],
  aggregate: [
    ['parley aggregate --config /etc/parley/aggregate.yaml', 'runs an aggregator'],
    ['parley aggregate tree --watch', 'shows the servers below it'],
  ],
  'aggregate tree': [['parley aggregate tree --watch', 'shows the servers below, again every two seconds']],
  'aggregate sign-tools': [
    [
      'parley aggregate sign-tools tools.yaml --identity ~/.parley/alice --out tools.signed',
      'which tools need approval',
    ],
  ],
  completion: [
    ['parley completion bash > /etc/bash_completion.d/parley', 'for bash'],
    ['parley completion zsh > /usr/local/share/zsh/site-functions/_parley', 'for zsh'],
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
