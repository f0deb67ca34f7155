// What every device behind an agent must do, whatever speaks to it: reading by command, by YANG path and by page, and changes that undo
// themselves. What a driver does not have it declares; the suite then demands that it is refused by name. Run by linux-frr over real FRR, by
// netconf over a real netconfd, and by embedded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { CandidateChanges, ConfigurationPort } from '#model/router/configuration.ts';
import type { DevicePort, RouteEntry } from '#model/router/device-port.ts';
import { settle } from './router-port.ts';

export type DeviceBed = {
  readonly device: DevicePort;
  readonly configuration: ConfigurationPort;
  /** Puts a description on one interface of the candidate, in whichever way the driver declares. */
  readonly describe: (holder: string, text: string) => Promise<CandidateChanges>;
  /** An edit that the device does not take. */
  readonly mistake: (holder: string) => Promise<CandidateChanges>;
  /** The description that runs, read by another way than the port under test; undefined without one. */
  readonly described: () => Promise<string | undefined>;
  readonly declares: DeviceDeclaration;
};

export type DeviceDeclaration = {
  readonly cliDialect: string;
  /** A show command and what its output holds; absent: no command line. */
  readonly command?: { readonly text: string; readonly shows: RegExp };
  /** A path of the device's own YANG modules and what is there. */
  readonly native?: {
    readonly module: string;
    readonly datastore: 'running' | 'operational';
    readonly path: string;
    readonly holds: (data: JsonObject) => boolean;
  };
  /** Families whose tables can be read page by page. */
  readonly routes: boolean;
  readonly log: boolean;
  readonly startup: boolean;
};

const ANN = 'operator/ann';
const BEN = 'operator/ben';
const LONG_MS = 60_000;

export function devicePortContract(label: string, bed: () => DeviceBed): void {
  readingContract(label, bed);
  changeContract(label, bed);
  ownershipContract(label, bed);
}

function readingContract(label: string, bed: () => DeviceBed): void {
  test(`${label}: facts say what the device has, and no more [NET-1] [NET-3]`, async () => {
    const { device, declares, configuration } = bed();
    const facts = await device.facts();
    assert.equal(facts.cliDialect, declares.cliDialect);
    assert.equal(device.show !== undefined, declares.command !== undefined);
    assert.equal(facts.commands.length > 0, declares.command !== undefined);
    assert.equal(facts.nativeModules.length > 0, declares.native !== undefined);
    assert.equal(configuration.edit !== undefined, declares.command !== undefined);
    assert.equal(configuration.editData !== undefined, declares.command === undefined);
    const { sources, confirmedCommit } = await configuration.facts();
    assert.deepEqual([sources.includes('startup'), confirmedCommit], [declares.startup, true]);
    assert.ok(sources.includes('running') && sources.includes('candidate'));
  });

  test(`${label}: a show command answers, an unknown one is refused with the known ones [NET-2]`, async () => {
    const { device, declares } = bed();
    if (declares.command === undefined) return assert.equal(device.show, undefined);
    assert.match(await device.show!(declares.command.text), declares.command.shows);
    await assert.rejects(device.show!('configure terminal'), refused('caller/unknown-command'));
  });

  test(`${label}: YANG data of a path is there, an unknown path holds nothing [NET-15]`, async () => {
    const { device, declares } = bed();
    if (declares.native === undefined) return assert.deepEqual((await device.facts()).nativeModules, []);
    const { module, datastore, path, holds } = declares.native;
    const data = await device.native!(module, datastore, undefined, path);
    assert.ok(holds(data), JSON.stringify(data).slice(0, 400));
    for (const name of Object.keys(data)) assert.ok(name.startsWith(`${module}:`), name);
    const none = await device.native!(module, datastore, undefined, `/${module}:no-such-node`);
    assert.equal(none[`${module}:no-such-node`], undefined);
  });

  test(`${label}: the route table comes page by page, each route once [NET-6]`, async () => {
    const { device, declares } = bed();
    const seen: string[] = [];
    const read = async (cursor: string | undefined) => {
      const before = seen.length;
      const each = (routes: readonly RouteEntry[]) => void seen.push(...routes.map((route) => JSON.stringify(route)));
      const next = await device.routes({ family: 'ipv6', cursor, most: 1, each });
      assert.ok(seen.length <= before + 1);
      return next;
    };
    if (!declares.routes) return assert.rejects(read(undefined), refused('node/not-supported'));
    let cursor: string | undefined;
    do cursor = await read(cursor);
    while (cursor !== undefined && seen.length < 500);
    assert.ok(seen.length > 1);
    assert.equal(new Set(seen).size, seen.length);
  });

  test(`${label}: configuration text is there, the log where it is declared`, async () => {
    const { device, declares } = bed();
    assert.ok((await device.configuration('running')).length > 0);
    if (declares.log) assert.ok(Array.isArray(await device.log(10)));
    else await assert.rejects(device.log(10), refused('node/not-supported'));
    if (declares.startup) assert.ok((await device.configuration('startup')).length > 0);
    else await assert.rejects(device.configuration('startup'), ParleyError);
  });
}

function changeContract(label: string, bed: () => DeviceBed): void {
  test(`${label}: an edit stays in the candidate until it is committed, and stays then when it is confirmed [NET-15]`, async () => {
    const { configuration, describe, described } = bed();
    const before = await described();
    const { changes } = await describe(ANN, 'to-lab-1');
    assert.ok(
      changes.some(({ sign, line }) => sign === '+' && line.includes('to-lab-1')),
      JSON.stringify(changes),
    );
    assert.equal(await described(), before);
    assert.equal((await configuration.validate(ANN)).wrong, undefined);
    assert.match(await configuration.read('candidate', ANN), /to-lab-1/);
    const commit = await configuration.commit(ANN, { timeoutMs: LONG_MS });
    assert.deepEqual([commit.state, commit.by, commit.persist, commit.timeoutMs], ['APPLIED', ANN, false, LONG_MS]);
    assert.equal(await described(), 'to-lab-1');
    await assert.rejects(configuration.confirm(ANN), refused('caller/wrong-commit-state'));
    assert.equal((await configuration.verified(commit.id)).state, 'VERIFIED');
    assert.equal((await configuration.confirm(ANN)).state, 'CONFIRMED');
    assert.equal(await described(), 'to-lab-1');
    assert.equal(await configuration.open(), undefined);
    assert.deepEqual((await configuration.history()).at(-1)?.id, commit.id);
    await assert.rejects(configuration.confirm(ANN), refused('caller/no-commit'));
  });

  test(`${label}: what nobody confirms is undone by its deadline + 5 s [NET-15]`, async () => {
    const { configuration, described } = bed();
    const { id, deadlineMs, startedMs } = await change(bed(), 'to-lab-2', { timeoutMs: 2_000 });
    assert.equal(deadlineMs - startedMs >= 2_000, true);
    assert.equal(await described(), 'to-lab-2');
    await settle(async () => (await configuration.open()) === undefined, 'the change to be undone', 12_000);
    assert.equal(await described(), 'to-lab-1');
    assert.ok(Date.now() - deadlineMs <= 5_000, `${Date.now() - deadlineMs} ms after the deadline`);
    const last = (await configuration.history()).at(-1);
    assert.deepEqual([last?.id, last?.state], [id, 'ROLLED_BACK']);
    assert.match(last?.reason ?? '', /not confirmed/);
    await assert.rejects(configuration.confirm(ANN), refused('caller/no-commit'));
  });

  test(`${label}: a cancelled change is undone at once, and so is one whose session was lost [NET-15]`, async () => {
    const { configuration, described } = bed();
    await change(bed(), 'to-lab-3', { timeoutMs: LONG_MS });
    assert.equal((await configuration.cancel(ANN, 'the test says so')).state, 'ROLLED_BACK');
    assert.equal(await described(), 'to-lab-1');
    const { id } = await change(bed(), 'to-lab-4', { timeoutMs: LONG_MS });
    // A session may be lost before the device has heard that it holds the change: then the next one holds and is lost.
    const loseSession = async () => {
      const session = new AbortController();
      const held = configuration.hold(id, session.signal).catch(() => {});
      const still = await configuration.open();
      session.abort();
      await held;
      return still === undefined;
    };
    await settle(loseSession, 'the change to be undone');
    assert.equal(await described(), 'to-lab-1');
  });

  test(`${label}: a discarded candidate is gone, and an edit that the device does not take leaves it as it was`, async () => {
    const { configuration, describe, described, mistake } = bed();
    await describe(ANN, 'to-lab-5');
    await assert.rejects(mistake(ANN), refused('caller/bad-config'));
    assert.match(await configuration.read('candidate', ANN), /to-lab-5/);
    await configuration.discard(ANN);
    await assert.rejects(configuration.validate(ANN), refused('caller/no-candidate'));
    await assert.rejects(configuration.commit(ANN, { timeoutMs: LONG_MS }), refused('caller/no-candidate'));
    assert.equal(await described(), 'to-lab-1');
  });

  test(`${label}: what ran before an earlier commit can be brought back [NET-15]`, async () => {
    const { configuration, described } = bed();
    const { id } = await change(bed(), 'to-lab-6', { timeoutMs: LONG_MS });
    await confirm(configuration, id);
    const { changes } = await configuration.restore(ANN, id);
    assert.ok(
      changes.some(({ sign, line }) => sign === '-' && line.includes('to-lab-6')),
      JSON.stringify(changes),
    );
    const back = await configuration.commit(ANN, { timeoutMs: LONG_MS });
    await confirm(configuration, back.id);
    assert.equal(await described(), 'to-lab-1');
    await assert.rejects(configuration.restore(ANN, '00000099-00000000'), refused('caller/no-commit'));
    await configuration.discard(ANN);
  });
}

function ownershipContract(label: string, bed: () => DeviceBed): void {
  test(`${label}: the candidate has one holder, and nobody else sees it [NET-16]`, async () => {
    const { configuration, describe } = bed();
    await describe(ANN, 'to-lab-7');
    await assert.rejects(describe(BEN, 'to-lab-8'), refused('caller/candidate-held'));
    await assert.rejects(configuration.read('candidate', BEN), refused('caller/candidate-held'));
    await configuration.mustHold?.(ANN);
    if (configuration.mustHold !== undefined)
      await assert.rejects(configuration.mustHold(BEN), refused('caller/candidate-held'));
    await assert.rejects(configuration.validate(BEN), refused('caller/candidate-held'));
    await configuration.discard(ANN);
    await describe(BEN, 'to-lab-8');
    await configuration.discard(BEN);
  });

  test(`${label}: one change at a time, and only its maker may confirm or cancel it [NET-16]`, async () => {
    const { configuration, describe, described } = bed();
    const { id } = await change(bed(), 'to-lab-9', { timeoutMs: LONG_MS });
    await configuration.verified(id);
    await assert.rejects(configuration.confirm(BEN), refused('caller/not-yours'));
    await assert.rejects(configuration.cancel(BEN, 'not mine'), refused('caller/not-yours'));
    const second = async () => {
      await describe(BEN, 'to-lab-10');
      await configuration.commit(BEN, { timeoutMs: LONG_MS });
    };
    await assert.rejects(second(), refused('caller/commit-open'));
    await configuration.discard(BEN);
    await configuration.cancel(ANN, 'enough');
    assert.equal(await described(), 'to-lab-1');
  });

  test(`${label}: with persist whoever knows the token may confirm, and nobody else [NET-15]`, async () => {
    const { configuration, described } = bed();
    const { id, persist } = await change(bed(), 'to-lab-11', { timeoutMs: LONG_MS, persist: 'token-1' });
    assert.equal(persist, true);
    await configuration.verified(id);
    await assert.rejects(configuration.confirm(ANN), refused('caller/wrong-persist-id'));
    await assert.rejects(configuration.confirm(BEN, 'token-2'), refused('caller/wrong-persist-id'));
    assert.equal((await configuration.confirm(BEN, 'token-1')).state, 'CONFIRMED');
    assert.equal(await described(), 'to-lab-11');
  });
}

async function change(
  bed: DeviceBed,
  text: string,
  options: { readonly timeoutMs: number; readonly persist?: string },
) {
  await bed.describe(ANN, text);
  return bed.configuration.commit(ANN, options);
}

async function confirm(configuration: ConfigurationPort, id: string): Promise<void> {
  await configuration.verified(id);
  await configuration.confirm(ANN);
}

function refused(code: string) {
  return (error: unknown) => {
    assert.ok(error instanceof ParleyError, String(error));
    assert.equal(error.code, code);
    return true;
  };
}
