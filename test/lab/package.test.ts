// The Debian package as a router gets it: built, installed by dpkg into a copy of this machine's root that is thrown away, run, removed, purged.
// Nothing of it touches the machine itself: the copy is an overlay in a mount namespace of its own.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '#base/process.ts';
import { buildPackage } from '../../scripts/package.ts';

/** Runs as root in the overlay; prints one line for each fact. */
const SCRIPT = `
set -e
mount -t tmpfs tmpfs "$WORK/over"
mkdir "$WORK/over/upper" "$WORK/over/work" "$WORK/over/root"
mount -t overlay overlay -o lowerdir=/,upperdir="$WORK/over/upper",workdir="$WORK/over/work" "$WORK/over/root"
mount -t proc proc "$WORK/over/root/proc"
mount --bind /dev "$WORK/over/root/dev"
cp "$DEB" "$WORK/over/root/parley.deb"
in_root() { chroot "$WORK/over/root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
in_root dpkg --force-depends -i /parley.deb > /dev/null 2>&1
echo "version $(in_root parley --version)"
echo "users $(in_root getent passwd parley parley-helper | cut -d: -f1 | tr '\\n' ' ')"
echo "groups $(in_root id -nG parley-helper)"
echo "agent $(in_root id -nG parley)"
echo "state $(in_root stat -c '%U:%G %a' /var/lib/parley)"
in_root parley ca init --domain lab.example --dir /tmp/ca > /dev/null
in_root parley ca issue pe1 --dir /tmp/ca --out /etc/parley/identity > /dev/null
printf 'node: pe1\\ndomain: lab.example\\n' > "$WORK/over/root/etc/parley/parley.yaml"
in_root install -d -m 700 /var/lib/parley-config /var/lib/parley-helper
echo "doctor $(in_root parley doctor | cut -d: -f1 | tr '\\n' ';')"
in_root parley ca registrar r1 --dir /tmp/ca --out /tmp/registrar > /dev/null
in_root install -d -m 0700 -o parley -g parley /var/lib/parley/registrar
in_root sh -c 'install -m 0600 -o parley -g parley /tmp/registrar/* /var/lib/parley/registrar'
in_root parley registrar code --node leaf-1 > /dev/null
fingerprint() { sed -n 's/.*"fingerprint":"\\([^"]*\\)".*/\\1/p'; }
at=/var/lib/parley/enrolled
asked=$(in_root parley enrol --request /tmp/request --node leaf-2 --out $at --json | fingerprint)
signed=$(in_root parley registrar sign /tmp/request --out /tmp/certificate --fingerprint "$asked" --json | fingerprint)
echo "enrolled $(in_root parley enrol --install /tmp/certificate --fingerprint "$signed" --node leaf-2 --out $at --json | sed 's/.*"outcome":"//; s/".*//')"
echo "owners $(in_root find $at /var/lib/parley/registrar -printf '%u:%g ' | tr ' ' '\n' | sort -u | tr '\n' ' ')"
echo "modes $(in_root stat -c '%a' $at $at/key.pem $at/signing-key.pem | tr '\n' ' ')"
in_root dpkg -r parley > /dev/null 2>&1
echo "kept $(in_root ls /etc/parley | tr '\\n' ' ')"
in_root dpkg -P parley > /dev/null 2>&1
echo "purged $(in_root ls -d /etc/parley /etc/parley-config /var/lib/parley /var/lib/parley-config /var/lib/parley-helper /usr/lib/parley 2> /dev/null | wc -l)"
`;

test('the Debian package installs, runs, keeps what it promised when removed, and purges [CARD-10]', async () => {
  const work = await mkdtemp(join(tmpdir(), 'parley-package-'));
  try {
    const { file } = await buildPackage({ out: work, say: () => {} });
    await run('mkdir', [join(work, 'over')], { timeoutMs: 5_000 });
    const env = { WORK: work, DEB: file };
    const ended = await run('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'bash', '-c', SCRIPT], {
      timeoutMs: 120_000,
      env,
    });
    assert.equal(ended.exitCode, 0, ended.stderr);
    const facts = Object.fromEntries(
      ended.stdout
        .trim()
        .split('\n')
        .map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1).trim()]),
    );
    assert.equal(facts['version'], '0.2.0');
    assert.equal(facts['users'], 'parley parley-helper');
    assert.deepEqual(facts['groups']!.split(' ').sort(), ['_lldpd', 'adm', 'frrvty', 'parley-helper']);
    assert.deepEqual(
      facts['agent']!.split(' ').sort(),
      ['parley', 'parley-agent', 'parley-config'],
      'only the agent opens the helpers',
    );
    assert.equal(facts['state'], 'parley:parley 750');
    assert.equal(
      facts['doctor'],
      'ok    configuration;ok    identity;ok    state folder;ok    disk;ok    report database;ok    audit trail;ok    nonces;ok    used consents in /var/lib/parley-helper;ok    payload consents;FAIL  helper;FAIL  agent;',
    );
    assert.equal(facts['enrolled'], 'enrolled');
    assert.equal(facts['owners'], 'parley:parley', 'what root writes there is the agent’s');
    assert.equal(facts['modes'], '700 600 600');
    assert.equal(facts['kept'], 'identity parley.yaml');
    assert.equal(facts['purged'], '0');
  } finally {
    await rm(work, { recursive: true, force: true });
  }
});
