// `parley setup`: from an installed package to the first answer. Each step looks at what is there and says what it did, so that the command
// may be run again: it replaces no configuration, no identity and no CA.
import { createSystemClock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { loadConfig } from '#config/load.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { withTerminal } from '../terminal/ask.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, type Output, printable } from '../terminal/output.ts';
import { runOwn, withCodeFile } from './run-own.ts';
import { startServices } from './services.ts';
import { makeTrial } from './trial.ts';
import { SETUP_PATHS, type SetupOptions, type Wanted, wantedOf } from './wanted.ts';
import { writeConfig } from './write-config.ts';

type Step = { readonly step: string; readonly outcome: string; readonly detail: string };

/** Exit code: that of the first answer; without one 0, or 3 where doctor found something. */
export async function setupCommand(options: SetupOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  if (process.geteuid?.() !== 0)
    throw new ParleyError(
      'caller/not-root',
      'expected root, who owns /etc/parley and starts services: run "sudo parley setup"',
    );
  const wanted = await withTerminal(options, (ask) => wantedOf(options, ask));
  const clock = createSystemClock();
  const begunMs = clock.monotonicMs();
  const steps: Step[] = [];
  const tell = (step: string, outcome: string, detail: string) => {
    steps.push({ step, outcome, detail });
    output.line(`${step.padEnd(14)}${printable(detail)}`);
  };
  const isNewIdentity = await takeIdentity(wanted, tell);
  const isNewConfig = await takeConfig(wanted, tell);
  const { node, domain, control } = await loadConfig({ file: SETUP_PATHS.config });
  const about = { node, domain };
  const seconds = () => Math.round((clock.monotonicMs() - begunMs) / 100) / 10;
  if (!options.start) {
    output.result({ ...about, steps, seconds: seconds() });
    output.line('start it with "systemctl enable --now parley-helper parley-agent"');
    return EXIT.ok;
  }
  const started = await startServices(control.socket, isNewIdentity || isNewConfig);
  tell('services', started, STARTED[started]);
  const doctor = await runOwn(['doctor']);
  tellDoctor(doctor.result, tell, output);
  const answer = options.ask ? await firstAnswer(options.question, control.socket, output) : undefined;
  output.result({
    ...about,
    steps,
    doctor: doctor.result,
    ...(answer && { answer: answer.result }),
    seconds: seconds(),
  });
  tellNext(wanted, seconds(), output);
  return answer?.exitCode ?? doctor.exitCode;
}

type Tell = (step: string, outcome: string, detail: string) => void;

const STARTED = {
  started: 'parley-helper and parley-agent run, and start at boot',
  restarted: 'parley-helper and parley-agent were started again',
  running: 'parley-helper and parley-agent run',
  'by-hand': 'the agent answers; nothing starts it at boot, as systemd does not run here',
} as const;

/** True where the certificate is new. */
async function takeIdentity({ node, identityDir, way }: Wanted, tell: Tell): Promise<boolean> {
  if (way.kind === 'kept') {
    tell(
      'certificate',
      'kept',
      `node ${node} in ${way.identity.party.domain} until ${isoTime(way.identity.notAfterMs)}`,
    );
    return false;
  }
  if (way.kind === 'trial') {
    const { made, notAfterMs } = await makeTrial({ node, domain: way.domain, identityDir });
    const ca = made === 'ca' ? 'made a CA for a trial' : 'used the CA';
    tell(
      'certificate',
      'issued',
      `${ca} in ${SETUP_PATHS.trialCa}; node ${node} in ${way.domain} until ${isoTime(notAfterMs)}, renews itself`,
    );
    return true;
  }
  const result = await withCodeFile(way, async (file) => {
    const args = ['enrol', '--registrar', way.registrar, '--node', node, '--out', identityDir, '--code-file', file];
    return (await runOwn(args)).result;
  });
  tell(
    'certificate',
    'enrolled',
    `node ${node} in ${result['domain']} until ${result['notAfter']}, by ${way.registrar}`,
  );
  return true;
}

/** True where the configuration is new. */
async function takeConfig({ node, identityDir, way, config }: Wanted, tell: Tell): Promise<boolean> {
  if (config !== undefined) {
    tell('configuration', 'kept', SETUP_PATHS.config);
    return false;
  }
  const { party } = await loadIdentity(identityDir, createSystemClock());
  await writeConfig({ node, domain: party.domain, isRegistrar: way.kind === 'trial' });
  tell('configuration', 'written', SETUP_PATHS.config);
  return true;
}

type Check = { readonly name: string; readonly ok?: boolean; readonly detail: string };

function tellDoctor(result: JsonObject, tell: Tell, output: Output): void {
  const checks = (result['checks'] ?? []) as unknown as readonly Check[];
  const faults = checks.filter(({ ok }) => ok === false);
  if (faults.length === 0) {
    tell('doctor', 'ok', `${checks.length} checks, nothing is wrong`);
    return;
  }
  tell('doctor', 'faults', `${faults.length} of ${checks.length} checks failed; see "parley doctor"`);
  for (const { name, detail } of faults) output.line(`${''.padEnd(14)}${printable(`${name}: ${detail}`)}`);
}

async function firstAnswer(question: string, socket: string, output: Output) {
  output.line();
  output.line(`$ parley ask "${question}"`);
  const answer = await runOwn(['ask', question, '--socket', socket]);
  output.line(printable(String(answer.result['sentence'])));
  output.line(`report        ${printable(String(answer.result['uri']))}`);
  return answer;
}

function tellNext({ way, node }: Wanted, seconds: number, output: Output): void {
  output.line();
  output.line(`ready after ${seconds} s`);
  if (way.kind !== 'trial') return;
  output.line(
    'next node:    here "parley registrar code --node NAME", there "parley setup --registrar ADDRESS --code CODE"',
  );
  output.line(
    `operator:     here "parley registrar code --operator NAME", there "parley operator enrol NAME --registrar ${node} --code CODE"`,
  );
}
