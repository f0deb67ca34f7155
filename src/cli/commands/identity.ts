// `parley identity` and `parley renew`: the certificate of a node and its renewal; of an operator, with --identity and --renew-own, the operator's own.
import { createSystemClock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import { grantSchema } from '#mtls/enrol/messages.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { installRenewal, prepareRenewal } from '#mtls/renewal/prepare.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, type Output, printable } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';

export async function identityCommand(options: AgentOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  return show(await withClient(options, (client) => call(client, 'parley-identity')), output);
}

export async function renewCommand(options: AgentOptions & { readonly own?: boolean }): Promise<number> {
  const output = createOutput(options.json ?? false);
  if (options.own === true) return renewOwn(options, output);
  const shown = await withClient(options, (client) => call(client, 'parley-renew-now'));
  return show(shown, output);
}

/** The certificate of the operator who runs this command, by the registrar that --connect or --node names. */
async function renewOwn(options: AgentOptions, output: Output): Promise<number> {
  const dir = options.identity;
  if (dir === undefined) throw usage('--identity DIR with --own', 'none');
  if (options.connect === undefined && options.node === undefined)
    throw usage('--connect or --node with the registrar', 'none');
  const clock = createSystemClock();
  const identity = await loadIdentity(dir, clock);
  const { text } = await prepareRenewal(dir, identity);
  const grant = grantSchema.safeParse(
    await withClient(options, (client) => call(client, 'parley-renew', { request: text })),
  );
  if (!grant.success)
    throw new ParleyError('peer/bad-certificate', 'expected a certificate of the registrar, got something else');
  const next = await installRenewal(dir, grant.data, identity, clock);
  const notAfter = isoTime(next.notAfterMs);
  output.result({ outcome: 'renewed', out: dir, thumbprint: next.thumbprint, notAfter });
  output.line(`${next.party.kind} ${next.party.name}: renewed in ${dir}, valid until ${notAfter}`);
  return EXIT.ok;
}

async function call(client: OperatorClient, name: string, args: JsonObject = {}): Promise<JsonObject> {
  return client.callTool(name, args).catch((error: unknown) => {
    throw asLocalError(error);
  });
}

function show(shown: JsonObject, output: Output): number {
  output.result(shown);
  const part = (name: string): JsonObject => (isJsonObject(shown[name]) ? shown[name] : {});
  const [renewal, list, clock] = [part('renewal'), part('trustList'), part('clock')];
  const line = (text: string) => output.line(printable(text));
  line(`${shown['party']} of ${shown['domain']}, ${shown['state']}, until ${shown['notAfter']}`);
  line(`certificate ${shown['certificate']}`);
  if (shown['revoked'] !== undefined) line(`revoked: ${shown['revoked']}`);
  const registrars = (renewal['registrars'] ?? []) as readonly string[];
  line(
    registrars.length === 0
      ? 'nothing renews it: name registrars in renewal.registrars'
      : `to be renewed on ${renewal['at']} by ${registrars.join(' or ')}`,
  );
  if (Number(renewal['failures']) > 0)
    line(`not renewed, tried ${renewal['failures']} times: ${renewal['lastFailure']}`);
  line(
    list['number'] === undefined
      ? 'no trust list: nothing is revoked as far as this node knows'
      : `trust list ${list['number']} of ${list['issued']}: ${list['revoked']} revoked, CAs: ${list['anchors']}`,
  );
  if (Number(clock['behindSeconds']) > 60)
    line(`the clock is ${clock['behindSeconds']} s behind a time that this node has seen: set it`);
  return shown['state'] === 'in force' ? EXIT.ok : EXIT.incomplete;
}
