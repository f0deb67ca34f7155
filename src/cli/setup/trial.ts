// The CA of a trial, on the node itself: the CA, a registrar for the nodes that follow, and this node's certificate. A network that is to
// stay keeps the key of its CA on a machine that is no router.
import { access, readdir, readFile, rm } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { writeFileDurably } from '#base/files.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { makeRegistrar } from '#mtls/enrol/registrar-ca.ts';
import { asOwnerOf, makeFolderFor } from '../offline/act-as.ts';
import { AGENT_USER } from './services.ts';
import { SETUP_PATHS } from './wanted.ts';

export type MadeTrial = { readonly made: 'ca' | 'certificate'; readonly notAfterMs: number };

/** `certificate`: the CA was there from an earlier run, and its key is used again. */
export async function makeTrial(init: {
  readonly node: string;
  readonly domain: string;
  readonly identityDir: string;
}): Promise<MadeTrial> {
  const { node, domain, identityDir } = init;
  const clock = createSystemClock();
  const dir = SETUP_PATHS.trialCa;
  const isFirst = !(await isThere(join(dir, 'ca.pem')));
  if (isFirst) await initAuthority({ dir, domain, clock });
  await registrarOf(node, dir);
  await makeFolderFor(identityDir, AGENT_USER);
  const issued = await issueCertificate({
    ...{ dir, kind: 'node', name: node, addresses: ownAddresses(), clock },
    ...{ out: identityDir, asOwner: (work) => asOwnerOf(identityDir, work) },
  });
  return { made: isFirst ? 'ca' : 'certificate', notAfterMs: issued.notAfterMs };
}

/** Renews this node's certificate, and certifies the nodes and operators that follow. */
async function registrarOf(node: string, dir: string): Promise<void> {
  const to = SETUP_PATHS.registrar;
  if (await isThere(join(to, 'ca-key.pem'))) return;
  const staged = join(dir, 'staged-registrar');
  await rm(staged, { recursive: true, force: true });
  await makeRegistrar({ dir, name: node, out: staged, operators: true, clock: createSystemClock() });
  await makeFolderFor(to, AGENT_USER);
  const files = await Promise.all(
    (await readdir(staged)).map(async (name) => ({ name, text: await readFile(join(staged, name), 'utf8') })),
  );
  await asOwnerOf(to, async () => {
    for (const { name, text } of files) await writeFileDurably(join(to, name), text, 0o600);
  });
  await rm(staged, { recursive: true, force: true });
}

/** Under which a browser may reach this node. */
function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.map(({ address }) => address).filter((address) => !/^(fe[89ab]|127\.|::1$)/i.test(address));
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
