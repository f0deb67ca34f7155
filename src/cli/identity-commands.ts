// The commands that give nodes, operators and controllers their certificates: the domain's CA, registrars, enrolment (TS-24).
import { Argument, type Command, Option } from 'commander';
import { ROLES } from '#model/identity.ts';
import type { Act } from './act.ts';

export function addAuthorityCommands(authority: Command, act: Act): void {
  authority
    .command('init')
    .description('creates the CA of a domain')
    .requiredOption('--domain <name>', 'name of the domain, such as lab.example')
    .option('--dir <dir>', 'folder of the CA', './parley-ca')
    .option('--days <days>', 'lifetime of the CA certificate in days')
    .option('--json', 'prints one JSON object')
    .action(act(async () => (await import('./offline/authority.ts')).initCommand));
  authority
    .command('issue')
    .description('issues a certificate and key, as a folder, to a node, an operator or a controller')
    .argument('<name>', 'node, operator or controller name')
    .requiredOption('--out <dir>', 'folder to write certificate and key to')
    .option('--dir <dir>', 'folder of the CA', './parley-ca')
    .addOption(
      new Option('--kind <kind>', 'what the certificate is for')
        .choices(['node', 'operator', 'controller'])
        .default('node'),
    )
    .addOption(
      new Option('--role <role>', "an operator's role: what nodes let it do (default: operator)").choices([...ROLES]),
    )
    .option('--dns <name...>', 'DNS names in the certificate (default: those it had; of a node NAME.DOMAIN)')
    .option('--address <ip...>', 'IP addresses in the certificate (default: those it had)')
    .option('--days <days>', 'lifetime of the certificate in days')
    .option('--renew', 'issues a new one although there is a valid one; a running agent takes it up by itself')
    .option('--json', 'prints one JSON object')
    .action(act(async () => (await import('./offline/authority.ts')).issueCommand));
  authority
    .command('registrar')
    .description(
      'makes the CA of a registrar, as a folder: it gives nodes their first certificate in exchange for a code',
    )
    .argument('<name>', 'name of the registrar, such as that of its node')
    .requiredOption('--out <dir>', 'folder to write certificate and key to')
    .option('--dir <dir>', 'folder of the CA', './parley-ca')
    .option('--operators', 'lets it certify operators as well')
    .option('--days <days>', "lifetime of the registrar's certificate in days", '365')
    .option('--json', 'prints one JSON object')
    .action(act(async () => (await import('./offline/registrar.ts')).makeRegistrarCommand));
}

/** What the domain's CA revokes, and how another takes its place. */
export function addTrustListCommands(authority: Command, act: Act): void {
  const atAuthority = (command: Command) =>
    command.option('--dir <dir>', 'folder of the CA', './parley-ca').option('--json', 'prints one JSON object');
  const withOut = (command: Command) =>
    atAuthority(command).option('--out <file>', 'file to write the trust list to (default: in the folder of the CA)');
  withOut(authority.command('revoke'))
    .description(
      'revokes every certificate of a node, operator, controller or registrar up to now, or one by its serial number, and signs the new trust list',
    )
    .argument('<name>', 'pe7, operator/alice, registrar/pe1, or a serial number')
    .requiredOption('--reason <text>', 'why, for those who read the list')
    .addOption(new Option('--kind <kind>', 'what the name is').choices(['node', 'operator', 'controller', 'registrar']))
    .option('--forget <days>', 'leaves entries out that are older: their certificates have ended')
    .action(act(async () => (await import('./offline/revoke.ts')).revokeCommand));
  atAuthority(authority.command('trust-list'))
    .description('shows the latest trust list of the CA')
    .action(act(async () => (await import('./offline/revoke.ts')).trustListCommand));
  withOut(authority.command('rotate'))
    .description(
      'puts another CA in the place of this one. begin: makes it, and nodes trust both; switch: it issues; finish: ends the trust in the one before',
    )
    .addArgument(new Argument('<step>', 'one after the other').choices(['begin', 'switch', 'finish']))
    .option('--days <days>', 'with begin: lifetime of the next CA in days')
    .action(act(async () => (await import('./offline/revoke.ts')).rotateCommand));
}

/** The certificate of a node that runs. */
export function addIdentityCommands(program: Command, act: Act, withAgent: (command: Command) => Command): void {
  withAgent(program.command('identity'))
    .description(
      'shows the certificate of a node, when and by whom it is renewed, and which trust list the node goes by',
    )
    .action(act(async () => (await import('./commands/identity.ts')).identityCommand));
  withAgent(program.command('renew'))
    .description('renews the certificate of a node now')
    .option(
      '--own',
      "renews the operator's own certificate in --identity instead, by the registrar of --connect or --node",
    )
    .action(act(async () => (await import('./commands/identity.ts')).renewCommand));
  withAgent(program.command('trust-list'))
    .description('hands a node the trust list that parley ca revoke wrote; without a file shows which one it goes by')
    .argument('[file]', 'trust list')
    .action(act(async () => (await import('./commands/trust-list.ts')).trustListCommand));
}

/** Folder of the registrar on its node. */
function atRegistrar(command: Command): Command {
  return command
    .option('--dir <dir>', 'folder of the registrar', '/var/lib/parley/registrar')
    .option('--json', 'prints one JSON object');
}

function withNames(command: Command): Command {
  return command
    .option('--dns <name...>', 'DNS names in the certificate')
    .option('--address <ip...>', 'IP addresses in the certificate')
    .option('--days <days>', 'lifetime of the certificate in days')
    .option('--replace', 'also for a name whose certificate has not ended: the device was replaced, or lost its key');
}

export function addRegistrarCommands(registrar: Command, act: Act): void {
  withNames(atRegistrar(registrar.command('code')))
    .description('makes one code, or a list of codes, and shows them once; each is bound to one name and works once')
    .option('--node <name>', 'the node that the code is for; with --count, # stands for the digits of its number')
    .option('--count <count>', 'makes codes for so many numbered nodes: --node leaf-## --count 48')
    .option('--list <file>', 'makes a code for each line NAME or NAME,SERIAL of a file')
    .option('--serial <serial>', 'serial number that the device must state')
    .option('--operator <name>', 'makes a code for an operator instead')
    .addOption(new Option('--role <role>', "the operator's role (default: operator)").choices([...ROLES]))
    .option('--hours <hours>', 'validity of the code in hours', '24')
    .action(act(async () => (await import('./offline/registrar.ts')).codeCommand));
  atRegistrar(registrar.command('list'))
    .description('lists codes by the name of each: open, used, locked or ended')
    .action(act(async () => (await import('./offline/registrar.ts')).listCommand));
  atRegistrar(registrar.command('revoke'))
    .description('removes codes')
    .argument('<ids...>', 'first five symbols of each code')
    .action(act(async () => (await import('./offline/registrar.ts')).revokeCommand));
  withNames(atRegistrar(registrar.command('sign')))
    .description('certifies a request of parley enrol --request, after its fingerprint was compared')
    .argument('<file>', 'request file')
    .requiredOption('--out <file>', 'file to write, for parley enrol --install')
    .option('--fingerprint <text>', 'fingerprint that the enrolling machine shows; without it, asks')
    .addOption(new Option('--role <role>', "an operator's role (default: operator)").choices([...ROLES]))
    .action(act(async () => (await import('./offline/registrar.ts')).signCommand));
}

export function addEnrolCommands(program: Command, act: Act): void {
  program
    .command('enrol')
    .description('gets the first certificate of this node from a registrar with a code, or by files')
    .option('--registrar <host[:port]>', 'the registrar (default port 9517); needs --code or --code-file')
    .option('--code <code>', 'the code that the registrar made for this node')
    .option('--code-file <file>', 'file that holds the code')
    .option('--node <name>', "this node's name (default: that of the configuration, else the host name)")
    .option('--serial <serial>', 'serial number of this device (default: as the firmware states it)')
    .option('--out <dir>', 'identity folder (default: that of the configuration, else /etc/parley/identity)')
    .option('--config <file>', 'configuration file (default: PARLEY_CONFIG, or /etc/parley/parley.yaml)')
    .option('--request <file>', 'without a network to the registrar: writes a request to this file')
    .option('--install <file>', 'without a network to the registrar: installs what parley registrar sign wrote')
    .option('--fingerprint <text>', 'with --install: fingerprint that the registrar shows; without it, asks')
    .option('--again', 'also where there is a valid certificate')
    .option('--json', 'prints one JSON object')
    .action(act(async () => (await import('./offline/enrol.ts')).enrolCommand));
  program
    .command('operator')
    .description('gets an operator a certificate')
    .command('enrol')
    .description('gets a certificate from a registrar with a code, and writes the PKCS #12 file that a browser imports')
    .argument('<name>', "the operator's name")
    .requiredOption('--registrar <host[:port]>', 'the registrar (default port 9517)')
    .option('--code <code>', 'the code that the registrar made for this operator')
    .option('--code-file <file>', 'file that holds the code')
    .option('--out <dir>', 'identity folder to write (default: NAME)')
    .option('--json', 'prints one JSON object')
    .action(act(async () => (await import('./offline/operator-enrol.ts')).operatorEnrolCommand));
}
