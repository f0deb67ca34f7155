// The Debian package as a router gets it: built, installed by dpkg into a copy of this machine's root that is thrown away, run, removed, purged.
// Nothing of it touches the machine itself: the copy is an overlay in a mount namespace of its own.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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
setup="parley setup --trial --node pe1 --domain lab.example --no-start --json"
outcomes() { grep -o '"outcome":"[a-z]*"' | cut -d'"' -f4 | tr '\\n' ' '; }
echo "setup $(in_root $setup | outcomes)"
echo "again $(in_root parley setup --no-start --json | outcomes)"
echo "conflict $(in_root parley setup --node pe2 --no-start --json | sed 's/.*"code":"//; s/".*//')"
echo "config $(in_root stat -c '%U:%G %a' /etc/parley/parley.yaml)"
echo "name $(in_root openssl x509 -in /etc/parley/identity/chain.pem -noout -ext subjectAltName | grep -o 'DNS:[a-z0-9.]*')"
in_root install -d -m 700 /var/lib/parley-config /var/lib/parley-helper
cp "$CHECK" "$WORK/over/root/usr/lib/parley/check.mjs"
echo "unloaded $(in_root /usr/lib/parley/bin/node /usr/lib/parley/check.mjs modules)"
echo "deadlinks $(in_root /usr/lib/parley/bin/node /usr/lib/parley/check.mjs links)"
rm "$WORK/over/root/usr/lib/parley/check.mjs"
echo "doctor $(in_root parley doctor | cut -d: -f1 | tr '\\n' ';')"
in_root parley registrar code --node leaf-1 > /dev/null
fingerprint() { sed -n 's/.*"fingerprint":"\\([^"]*\\)".*/\\1/p'; }
at=/var/lib/parley/enrolled
asked=$(in_root parley enrol --request /tmp/request --node leaf-2 --out $at --json | fingerprint)
signed=$(in_root parley registrar sign /tmp/request --out /tmp/certificate --fingerprint "$asked" --json | fingerprint)
echo "enrolled $(in_root parley enrol --install /tmp/certificate --fingerprint "$signed" --node leaf-2 --out $at --json | sed 's/.*"outcome":"//; s/".*//')"
echo "owners $(in_root find $at /var/lib/parley/registrar -printf '%u:%g ' | tr ' ' '\n' | sort -u | tr '\n' ' ')"
echo "modes $(in_root stat -c '%a' $at $at/key.pem $at/signing-key.pem | tr '\n' ' ')"
mkdir -p "$WORK/over/root/run/systemd/system"
rm -f "$WORK/over/root/usr/bin/systemctl"
cat > "$WORK/over/root/usr/bin/systemctl" <<'END'
#!/bin/sh
echo "$*" >> /systemctl.log
case "$1 $2" in
  'is-active parley-agent.service' | 'is-active parley-helper.service') echo active ;;
  is-active*) echo inactive; exit 3 ;;
esac
END
chmod +x "$WORK/over/root/usr/bin/systemctl"
in_root dpkg --force-depends -i /parley.deb > /dev/null 2>&1
echo "started $(grep 'start ' "$WORK/over/root/systemctl.log" | sed 's/.*start //' | tr '\\n' ' ')"
echo "identity $(in_root ls /etc/parley/identity | tr '\\n' ' ')"
dpkg-deb -R "$DEB" "$WORK/newer"
sed -i 's/^Version: .*/Version: 9.0.0/' "$WORK/newer/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z0 --build "$WORK/newer" "$WORK/over/root/newer.deb" > /dev/null
rm -r "$WORK/newer"
in_root dpkg --force-depends -i /newer.deb > /dev/null 2>&1
echo "downgrade $(in_root dpkg --force-depends -i /parley.deb 2>&1 | grep -o '0.2.0 is older than 9.0.0' | head -1)"
echo "stays $(in_root dpkg-query -W -f '\${Version}' parley)"
in_root dpkg -r parley > /dev/null 2>&1
echo "kept $(in_root ls /etc/parley | tr '\\n' ' ')"
in_root dpkg -P parley > /dev/null 2>&1
echo "users-left $(in_root getent passwd parley parley-helper | wc -l)"
echo "purged $(in_root ls -d /etc/parley /etc/parley-config /var/lib/parley /var/lib/parley-config /var/lib/parley-helper /usr/lib/parley 2> /dev/null | wc -l)"
`;

/** Runs in the package's home: what of the packages that the program imports does not load, and links of documents that lead nowhere. */
const CHECK = `
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
const found = [];
if (process.argv[2] === 'modules') {
  const names = new Set();
  for (const file of globSync('/usr/lib/parley/dist/**/*.js'))
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from |import\\()'([@a-z][^':]*)'/g)) names.add(name);
  found.push(names.size > 10 ? '' : 'too few');
  for (const name of names) await import(name).catch((error) => found.push(name + ': ' + error.message.split('\\n')[0]));
} else {
  const home = '/usr/share/doc/parley';
  const texts = globSync(home + '/**/*.md');
  found.push(texts.length > 50 ? '' : 'too few');
  for (const file of texts)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/\\]\\(([^)#\\s:]+)(?:#[^)]*)?\\)/g))
      if (!existsSync(join(dirname(file), path))) found.push(file + ' ' + path);
}
console.log(found.filter((each) => each !== '').join('; ') || 'none');
`;

test('the Debian package installs, is set up by one command, runs, is upgraded, refuses a downgrade, keeps what it promised when removed, and purges [CARD-10]', async () => {
  const work = await mkdtemp(join(tmpdir(), 'parley-package-'));
  try {
    const { file, besideNodeBytes } = await buildPackage({ out: work, quick: true, say: () => {} });
    await run('mkdir', [join(work, 'over')], { timeoutMs: 5_000 });
    const check = join(work, 'check.mjs');
    await writeFile(check, CHECK);
    const env = { WORK: work, DEB: file, CHECK: check };
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
    assert.ok(besideNodeBytes < 25e6, `${besideNodeBytes} bytes beside Node itself`);
    assert.equal(facts['unloaded'], 'none');
    assert.equal(facts['deadlinks'], 'none');
    assert.equal(facts['setup'], 'issued written');
    assert.equal(facts['again'], 'kept kept');
    assert.equal(facts['conflict'], 'caller/setup-conflict');
    assert.equal(facts['config'], 'root:parley 640');
    assert.equal(facts['name'], 'DNS:pe1.lab.example');
    assert.equal(facts['started'], 'parley-helper.service parley-agent.service');
    assert.equal(facts['identity'], 'ca.pem chain.pem key.pem signing-key.pem');
    assert.equal(facts['downgrade'], '0.2.0 is older than 9.0.0');
    assert.equal(facts['stays'], '9.0.0');
    assert.equal(facts['users-left'], '0');
    assert.equal(facts['state'], 'parley:parley 750');
    assert.equal(
      facts['doctor'],
      'ok    configuration;ok    identity;ok    state folder;ok    disk;ok    report database;ok    audit trail;ok    lasting audit records;ok    nonces;ok    used consents in /var/lib/parley-helper;ok    registrar;ok    payload consents;ok    memory of days;ok    port;FAIL  helper;FAIL  agent;',
    );
    assert.equal(facts['enrolled'], 'enrolled');
    assert.equal(facts['owners'], 'parley:parley', 'what root writes there is the agent’s');
    assert.equal(facts['modes'], '700 600 600');
    assert.equal(facts['kept'], 'identity parley.yaml trial-ca');
    assert.equal(facts['purged'], '0');
  } finally {
    await rm(work, { recursive: true, force: true });
  }
});
