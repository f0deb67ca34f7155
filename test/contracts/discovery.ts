// What every discovery mechanism promises: starting twice and stopping unstarted are harmless, an aborted signal starts
// nothing, and after a stop nothing is heard any more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Discovery, PeerTable } from '#model/peer.ts';

export type DiscoveryUnderTest = {
  readonly discovery: Discovery;
  readonly table: PeerTable;
  /** Makes `node` discoverable by this mechanism from now on. */
  appear(node: string): void;
  /** Lets everything happen that is due. */
  settle(): Promise<void>;
};

export function discoveryContract(name: string, make: () => DiscoveryUnderTest): void {
  const namesOf = (table: PeerTable) => table.list().map((record) => record.node);

  test(`${name}: finds a peer, and once when started twice [CARD-2]`, async () => {
    const { discovery, table, appear, settle } = make();
    appear('p2');
    await discovery.start();
    await discovery.start();
    await settle();
    assert.deepEqual(namesOf(table), ['p2']);
    assert.equal(table.find('p2')?.hints.length, 1);
    await discovery.stop();
  });

  test(`${name}: can be stopped before it was started, and twice`, async () => {
    const { discovery, table } = make();
    await discovery.stop();
    await discovery.start();
    await discovery.stop();
    await discovery.stop();
    assert.deepEqual(namesOf(table), []);
  });

  test(`${name}: hears nothing after a stop, and hears again after a new start`, async () => {
    const { discovery, table, appear, settle } = make();
    await discovery.start();
    await discovery.stop();
    appear('p2');
    await settle();
    assert.deepEqual(namesOf(table), []);
    await discovery.start();
    await settle();
    assert.deepEqual(namesOf(table), ['p2']);
    await discovery.stop();
  });

  test(`${name}: starts nothing when the signal has been aborted`, async () => {
    const { discovery, table, appear, settle } = make();
    appear('p2');
    await discovery.start(AbortSignal.abort());
    await settle();
    assert.deepEqual(namesOf(table), []);
  });

  test(`${name}: never knows a peer as verified [CARD-2]`, async () => {
    const { discovery, table, appear, settle } = make();
    appear('p2');
    await discovery.start();
    await settle();
    assert.equal(table.find('p2')?.verified, undefined);
    await discovery.stop();
  });
}
