// What a node has left, as its files and file systems say it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMounts, readResources } from '#router/drivers/linux-frr/kernel/resources.ts';

const MOUNTS = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro',
  '30 22 8:2 / /var rw,relatime - ext4 /dev/sda2 rw',
  '31 30 8:3 / /var/log rw,noatime - ext4 /dev/sda3 ro',
  '32 22 0:21 / /run ro,nosuid - tmpfs tmpfs rw,size=1000k',
].join('\n');
const TABLES: Readonly<Record<string, string>> = {
  '/proc/self/mountinfo': MOUNTS,
  '/proc/vmstat': 'nr_free_pages 12\noom_kill 3\n',
};
const table = (path: string) => TABLES[path] ?? '';
const room = (bavail: number, { blocks = 1_000_000, files = 100, ffree = 50 } = {}) => ({
  ...{ bsize: 4_096, blocks, bavail, files, ffree },
});

test('each file system is listed once, with what it holds, and one that is read-only as such, not one that is shown so', async () => {
  const read = await readResources(async () => room(500_000), table);
  assert.deepEqual(
    read.fileSystems.map(({ mount, holds, condition }) => [mount, holds.join(' '), condition]),
    [
      ['/', '/etc/frr', 'writable'],
      ['/run', '/run/frr', 'writable'],
      ['/var/log', '/var/log', 'read-only'],
      ['/var', '/var/tmp', 'writable'],
    ],
  );
  assert.equal(read.killed, '3');
});

test('less than a megabyte, or a hundredth of a small file system, and a lack of inodes are full', async () => {
  const conditionOf = async (...about: Parameters<typeof room>) =>
    (
      await readResources(
        async () => room(...about),
        (path) => (path.endsWith('mountinfo') ? MOUNTS.split('\n')[0]! : ''),
      )
    ).fileSystems[0]?.condition;
  assert.equal(await conditionOf(255), 'full');
  assert.equal(await conditionOf(256), 'writable');
  assert.equal(await conditionOf(2, { blocks: 100 }), 'writable');
  assert.equal(await conditionOf(0, { blocks: 100 }), 'full');
  assert.equal(await conditionOf(500_000, { ffree: 0 }), 'full');
  assert.equal(await conditionOf(500_000, { files: 0, ffree: 0 }), 'writable', 'a file system without inodes');
});

test('a full disk is full also to a service that may write nowhere', async () => {
  const { fileSystems } = await readResources(
    async () => room(0),
    () => '22 1 8:1 / / ro,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n',
  );
  assert.deepEqual(
    fileSystems.map(({ condition }) => condition),
    ['full'],
  );
});

test('a file system that is mounted at two places is listed once, by the first', async () => {
  const own = '60 22 8:1 /var/tmp/private /var/tmp rw - ext4 /dev/sda1 rw';
  const { fileSystems } = await readResources(
    async () => room(500_000),
    () => `${MOUNTS.split('\n')[0]}\n${own}\n`,
  );
  assert.deepEqual(
    fileSystems.map(({ mount, holds }) => [mount, holds.join(' ')]),
    [['/', '/etc/frr /run/frr /var/log /var/tmp']],
  );
});

test('a file system behind a network is not asked, since its server may be away', async () => {
  const asked: string[] = [];
  const remote = ['nfs4', 'cifs', 'fuse.sshfs', 'autofs'].map(
    (type, index) => `${50 + index} 22 0:5 / /var/log rw - ${type} server:/logs rw`,
  );
  for (const mount of remote) {
    const read = await readResources(
      async (folder) => {
        asked.push(folder);
        return room(500_000);
      },
      () => `${MOUNTS.split('\n')[0]}\n${mount}\n`,
    );
    assert.deepEqual(read.fileSystems[0]?.holds, ['/etc/frr', '/run/frr', '/var/tmp']);
  }
  assert.ok(!asked.includes('/var/log'));
});

test('folders that do not exist and mounts that cannot be read are left out', async () => {
  const read = await readResources(
    (folder) => (folder === '/run/frr' ? Promise.reject(new Error('none')) : Promise.resolve(room(500_000))),
    table,
  );
  assert.deepEqual(
    read.fileSystems.map(({ mount }) => mount),
    ['/', '/var/log', '/var'],
  );
  assert.deepEqual(
    await readResources(
      async () => room(1),
      () => '',
    ),
    { fileSystems: [] },
  );
});

test('a mount point with a space is read as it is, and one over another covers it', () => {
  const text = '40 22 8:4 / /mnt/a\\040b rw - ext4 /dev/sdb rw\n';
  assert.deepEqual(parseMounts(text), [{ mount: '/mnt/a b', device: '8:4', isReadOnly: false, isLocal: true }]);
});

test('a file system that ext4 stopped to write, without calling it read-only, is read-only', async () => {
  for (const option of ['emergency_ro', 'shutdown']) {
    const [root] = parseMounts(`22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw,errors=remount-ro,${option}\n`);
    assert.equal(root?.isReadOnly, true, option);
  }
});
