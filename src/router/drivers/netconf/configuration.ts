// ConfigurationPort over NETCONF: the device's candidate, and its own confirmed commits (RFC 6241 §8.4). What was committed is read back:
// an ok of the device alone proves nothing. Changes without `persist` live as long as our session, which is the device's own rule.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { type DataEdit, differenceEdits, differenceLines } from '#codec/yang/difference.ts';
import { isSecretLeaf } from '#model/redaction.ts';
import type { CandidateChanges, ConfigurationPort, YangEdit } from '#model/router/configuration.ts';
import { REDACTED } from '#model/secrets/secret-forms.ts';
import { CommitBook, commitOpen } from '../../config/commit-book.ts';
import { CandidateHolding, editXml, type HeldCandidate } from './candidate.ts';
import { type ConfirmedChange, createConfirmedCommits } from './confirmed-commit.ts';
import type { NetconfDevice, NetconfLink } from './link.ts';
import { CAPABILITIES, hasCapability } from './operations.ts';
import type { NetconfReader } from './reader.ts';
import { createUnknownCommits } from './unknown-commit.ts';
import { prettyXml, type XmlElement } from './xml.ts';

export type NetconfConfigurationParts = {
  readonly link: NetconfLink;
  readonly reader: NetconfReader;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
};

export function createNetconfConfiguration(parts: NetconfConfigurationParts): ConfigurationPort & { close(): void } {
  const { link, reader } = parts;
  const holding = new CandidateHolding(link, parts.clock);
  const jsonOf = (device: NetconfDevice, data: XmlElement) => reader.json(device, data, []);

  const changesOf = async ({ device, running }: HeldCandidate): Promise<CandidateChanges> => {
    const candidate = await device.operations.getConfig('candidate');
    const [before, after] = [await jsonOf(device, running), await jsonOf(device, candidate)];
    const { roots } = await (await reader.schemas()).of([]);
    const lines = differenceLines(roots, before, after);
    const changes = lines.map(({ sign, context, line, leaf, denied }) => ({
      sign,
      context,
      line: denied || isSecretLeaf(leaf) ? `${leaf} ${REDACTED}` : line,
    }));
    return { changes };
  };
  const edit = async (holder: string, edits: readonly (YangEdit | DataEdit)[]): Promise<CandidateChanges> => {
    // A confirming commit would take these edits along (RFC 6241 §8.4.1).
    if (book.isOpen) throw commitOpen();
    await holding.open(holder);
    const modules = edits.flatMap(({ path }) =>
      [...path.matchAll(/(?:^|\/)([A-Za-z_][\w.-]*):/g)].map((found) => found[1]!),
    );
    const schema = await (await reader.schemas()).of(modules);
    const xml = edits.map((each) => editXml(schema, each));
    return changesOf(await holding.edit(holder, xml).catch((error) => Promise.reject(badConfig(error))));
  };
  const unknown = createUnknownCommits({ link, reader, holding });
  const backend = { ...createConfirmedCommits({ link, reader, holding }), unknown };
  const book = new CommitBook<ConfirmedChange>({ ...parts, backend });
  // The candidate is one, and its steps are many; an undoing comes between none of them.
  const oneByOne = book.inTurn;
  link.onLost(() => book.lost('the session with the device was lost'));
  return {
    async facts() {
      const { capabilities } = (await link.use()).session;
      const has = (name: 'candidate' | 'confirmedCommit' | 'startup') =>
        hasCapability(capabilities, CAPABILITIES[name]);
      return {
        sources: [
          'running',
          ...(has('startup') ? (['startup'] as const) : []),
          ...(has('candidate') ? (['candidate'] as const) : []),
        ],
        confirmedCommit: has('candidate') && has('confirmedCommit'),
      };
    },
    read: (source, holder) =>
      oneByOne(async () => {
        if (source === 'candidate') holding.of(holder);
        return prettyXml(await reader.all(source));
      }),
    mustHold: (holder) => oneByOne(async () => void holding.of(holder)),
    editData: (holder, edits) => oneByOne(() => edit(holder, edits)),
    restore: (holder, commitId) =>
      oneByOne(async () => {
        const { before } = book.imageOf(commitId);
        const { device, running } = await holding.open(holder);
        const { roots } = await (await reader.schemas()).of([]);
        return edit(holder, differenceEdits(roots, await jsonOf(device, running), before));
      }),
    validate: (holder) =>
      oneByOne(async () => {
        const wrong = await holding.validate(holder);
        return { ...(await changesOf(holding.of(holder))), ...(wrong === undefined ? {} : { wrong }) };
      }),
    discard: (holder) => oneByOne(() => holding.discard(holder)),
    commit: (holder, options) => book.commit(holder, options),
    verified: (commitId) => oneByOne(async () => book.verified(commitId)),
    confirm: (holder, persistId, commitId) => book.confirm(holder, persistId, commitId),
    cancel: (holder, reason, persistId, commitId) => book.cancel(holder, reason, persistId, commitId),
    hold: (commitId, signal) => book.hold(commitId, signal),
    open: async () => book.open(),
    history: async () => book.history(),
    close: () => book.close(),
  };
}

/** The device's own refusal of an edit, as what it is: a candidate that it would not take. */
function badConfig(error: unknown): unknown {
  if (!(error instanceof ParleyError) || error.code !== 'node/netconf-refused') return error;
  if (error.data['tag'] === 'access-denied') return error;
  return new ParleyError('caller/bad-config', error.message, { data: error.data, cause: error });
}
