// What a node runs out of, and programs of it that do not fit each other after an update.
import { z } from 'zod';
import { defineFault, nodeName, truthAtNode } from './fault.ts';
import { randomRouter } from './places.ts';

const DAEMON = { isis: 'isisd', ospf: 'ospfd', bgp: 'bgpd' } as const;
const daemonName = z.enum(['isisd', 'ospfd', 'bgpd']);
const atDaemon = z.strictObject({ node: nodeName, daemon: daemonName });

const pidOf = (daemon: string): string => `$(cat /run/frr/${daemon}.pid)`;
const start = (daemon: string, library = ''): string =>
  `${library}/usr/lib/frr/${daemon} -d -F traditional -A 127.0.0.1 > /dev/null 2>&1; vtysh -b > /dev/null 2>&1`;
const gone = (daemon: string): string => `! kill -0 ${pidOf(daemon)} 2> /dev/null`;

/** On the node's own root, which lies in memory: 64 MB at most. */
const FILLER = '/var/tmp/kept';
/** Busy while a program has a file open that it writes. */
const READ_ONLY =
  'for try in 1 2 3 4 5; do mount -o remount,ro / 2> /dev/null && exit; sleep 0.2; done; mount -o remount,ro /';

export const diskUnwritable = defineFault({
  id: 'disk_unwritable',
  description: 'the file system that holds the configuration of a router is full, or read-only',
  parameters: z.strictObject({ node: nodeName, way: z.enum(['full', 'read-only']).default('full') }),
  steps: ({ node, way }) => [
    {
      // Nothing that it is set to changes.
      ...{ where: 'node', node, learned: true },
      ...(way === 'full'
        ? { exec: [`dd if=/dev/zero of=${FILLER} bs=64k > /dev/null 2>&1 || true`], undo: [`rm -f ${FILLER}`] }
        : { exec: [READ_ONLY], undo: ['mount -o remount,rw /'] }),
    },
  ],
  truth: ({ node }) => truthAtNode('disk_unwritable', node),
  symptoms: ({ node }) => [
    {
      where: 'node',
      node,
      script: '! { echo try > /etc/frr/try; } 2> /dev/null; found=$?; rm -f /etc/frr/try; exit $found',
    },
  ],
  place: (network, random) => ({
    node: randomRouter(network, random).name,
    way: random.pick(['full', 'read-only'] as const),
  }),
});

const LIMIT_BEFORE = '/run/files-before';
/** As the program's own user, which needs no right to do so. */
const limits = (daemon: string, more: string): string =>
  `setpriv --reuid frr --regid frr --clear-groups prlimit --pid ${pidOf(daemon)} ${more}`;

const HOLDER = '/run/held.pid';
/** Opens connections to a program and closes none; those that find no place wait. */
const heldConnections = (daemon: string, count: number): string =>
  `setsid perl -MIO::Socket::UNIX -e 'my @held = map { IO::Socket::UNIX->new("/run/frr/${daemon}.vty") } 1..${count}; sleep 900' < /dev/null > /dev/null 2>&1 & echo $! > ${HOLDER}`;
const LET_GO = `kill $(cat ${HOLDER})`;
/** FRR has some files under high numbers. */
const HELD = 400;

export const descriptorsExhausted = defineFault({
  id: 'descriptors_exhausted',
  description:
    'a routing program of a router may open no more files than it has, and what was left is taken by connections that stay open',
  parameters: atDaemon,
  steps: ({ node, daemon }) => [
    {
      ...{ where: 'node', node, learned: true },
      exec: [
        `${limits(daemon, '--nofile -o SOFT --noheadings')} > ${LIMIT_BEFORE}`,
        // The limit is of their numbers.
        limits(daemon, `--nofile=$(( $(ls /proc/${pidOf(daemon)}/fd | sort -n | tail -1) + 1 )):`),
        heldConnections(daemon, HELD),
        'sleep 2',
      ],
      undo: [LET_GO, limits(daemon, `--nofile=$(cat ${LIMIT_BEFORE}):`)],
    },
  ],
  truth: ({ node }) => truthAtNode('descriptors_exhausted', node),
  symptoms: ({ node, daemon }) => [
    {
      ...{ where: 'node', node },
      script: `[ $(ls /proc/${pidOf(daemon)}/fd | wc -l) -ge $(${limits(daemon, '--nofile -o SOFT --noheadings')}) ]`,
    },
  ],
  place: (network, random) => ({ node: randomRouter(network, random).name, daemon: DAEMON[network.protocol] }),
});

const GROUP = '/run/groups';

export const memoryExhausted = defineFault({
  id: 'memory_exhausted',
  description: 'a routing program of a router gets no more memory, and the kernel kills it',
  parameters: atDaemon,
  steps: ({ node, daemon }) => [
    {
      ...{ where: 'node', node },
      exec: [
        `mkdir -p ${GROUP}; mount -t cgroup -o memory cgroup ${GROUP}; mkdir -p ${GROUP}/$(hostname)`,
        `echo 4096 > ${GROUP}/$(hostname)/memory.limit_in_bytes; echo ${pidOf(daemon)} > ${GROUP}/$(hostname)/cgroup.procs`,
        // Whatever it is asked takes memory.
        `for turn in $(seq 200); do ${gone(daemon)} && break; timeout 1 vtysh -d ${daemon} -c 'show running-config' > /dev/null 2>&1 || true; sleep 0.05; done`,
      ],
      undo: [
        `${gone(daemon)} && { ${start(daemon)}; }; true`,
        `for turn in $(seq 50); do rmdir ${GROUP}/$(hostname) 2> /dev/null && break; sleep 0.1; done; umount ${GROUP}`,
      ],
    },
  ],
  truth: ({ node }) => truthAtNode('memory_exhausted', node),
  symptoms: ({ node, daemon }) => [{ where: 'node', node, script: gone(daemon) }],
  place: (network, random) => ({ node: randomRouter(network, random).name, daemon: DAEMON[network.protocol] }),
});

const NEXT = '/run/next';
/** So long until it is no update under way. */
const SKEW_SECONDS = 22;

export const versionSkew = defineFault({
  id: 'version_skew',
  description: 'one routing program of a router was started again in another release of FRR, the others were not',
  parameters: atDaemon,
  steps: ({ node, daemon }) => [
    {
      ...{ where: 'node', node },
      exec: [
        [
          `mkdir -p ${NEXT}`,
          `library=$(ldd /usr/lib/frr/${daemon} | sed -n 's/.*=> \\(\\S*libfrr\\.so\\S*\\) .*/\\1/p')`,
          `now=$(/usr/lib/frr/${daemon} -v | sed -n 's/.* version \\([0-9]*\\.[0-9]*\\).*/\\1/p')`,
          // Of the same length: the last digit of the minor release.
          `case $now in *9) next=\${now%?}8;; *) next=\${now%?}9;; esac`,
          `LC_ALL=C sed "s/\${now//./\\\\.}\\(\\.[0-9]\\)/$next\\1/g" $library > ${NEXT}/libfrr.so.0`,
        ].join('; '),
        `kill -TERM ${pidOf(daemon)}; sleep 1; ${start(daemon, `LD_PRELOAD=${NEXT}/libfrr.so.0 `)}; sleep ${SKEW_SECONDS}`,
      ],
      undo: [`kill -TERM ${pidOf(daemon)}; sleep 1; ${start(daemon)}; rm -rf ${NEXT}`],
    },
  ],
  truth: ({ node }) => truthAtNode('version_skew', node),
  symptoms: ({ node, daemon }) => [
    { where: 'node', node, script: `grep -q ${NEXT}/libfrr /proc/${pidOf(daemon)}/maps` },
  ],
  place: (network, random) => ({ node: randomRouter(network, random).name, daemon: DAEMON[network.protocol] }),
});
