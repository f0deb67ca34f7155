// The commands of reports and of the audit trail in the command tree.
import { type Command, Option } from 'commander';
import type { Act } from './act.ts';
import { withAgent } from './terminal/with-agent.ts';

export function addReportCommands(report: Command, act: Act): void {
  withAgent(report.command('list'))
    .description('lists the reports of a node, how full its store is, and what it lost')
    .action(act(async () => (await import('./report/report.ts')).listCommand));
  withAgent(report.command('show'))
    .description('shows one report in the form of parley ask')
    .argument(
      '[report]',
      'report id or its first four or more characters, URN, or file (write ./NAME for a file that could be an id); without it or with "last", the newest report of the node',
    )
    .option(
      '--explain [depth]',
      'shows how each finding was reached and which other causes were considered; raw: every value',
    )
    .action(act(async () => (await import('./report/report.ts')).showCommand));
  withAgent(report.command('export'))
    .description(
      'writes a report to a file: the sealed one for an admin, for others a copy in which hosts have pseudonyms',
    )
    .argument('<id>', 'report id or its first characters, URN, or "last" for the newest')
    .argument('<file>', 'file to write')
    .option('--original', 'the sealed report or nothing; an admin may')
    .option('--pseudonyms', 'the copy, also for an admin')
    .action(act(async () => (await import('./report/report.ts')).exportCommand));
  withAgent(report.command('delete'))
    .description('deletes reports by id, or by age and verdict; an admin may, and the audit trail names each')
    .argument('[ids...]', 'report ids or their first characters, or URNs')
    .option('--older-than <span>', 'reports that were stored so long ago, such as 30d, 12h or 90m')
    .addOption(
      new Option('--verdict <verdict>', 'reports of this verdict').choices(['healthy', 'inconclusive', 'fault']),
    )
    .action(act(async () => (await import('./report/delete.ts')).deleteCommand));
  report
    .command('verify')
    .description('verifies a report file offline')
    .argument('<file>', 'sealed report file')
    .requiredOption('--ca <file>', "the domain's CA certificate")
    .option('--json', 'prints one JSON object')
    .action(act(async () => (await import('./report/report.ts')).verifyCommand));
}

/** They read files: no agent needs to run, and each user who may read the folder may use them. */
export function addAuditCommands(audit: Command, act: Act): void {
  const folder = ['[dir]', 'folder of the audit trail', '/var/lib/parley/audit'] as const;
  audit
    .command('verify')
    .argument(...folder)
    .option('--json', 'prints one JSON object')
    .description('checks the hash chain of the audit trail, and that the last records which the node signed are in it')
    .option('--ca <file>', "the domain's CA certificate: verifies who signed the heads that are kept beside the trail")
    .option('--witness <file...>', 'audit-heads.json of other nodes, which keep the heads that this one showed them')
    .option('--node <name>', 'whose trail it is, where no heads are beside it')
    .action(act(async () => (await import('./offline/audit.ts')).verifyAuditCommand));
  audit
    .command('tail')
    .argument(...folder)
    .description('shows the last records of the audit trail')
    .option('-n, --lines <count>', 'how many', '20')
    .option('-f, --follow', 'goes on with each new record, until it is interrupted')
    .option('--json', 'prints each record as the trail has it, one JSON object a line')
    .action(act(async () => (await import('./offline/audit-read.ts')).tailAuditCommand));
  audit
    .command('export')
    .argument(...folder)
    .description('prints the records of a time span, all of them without one')
    .option('--from <time>', 'RFC 3339, such as 2026-11-24T08:00:00Z, or a span back from now, such as 90m, 12h or 30d')
    .option('--to <time>', 'the same')
    .addOption(
      new Option('--format <format>', 'the lines of the trail, or syslog messages')
        .choices(['json', 'rfc5424'])
        .default('json'),
    )
    .option('--node <name>', 'whose trail it is, for rfc5424 where no heads are beside it')
    .action(act(async () => (await import('./offline/audit-read.ts')).exportAuditCommand));
}
