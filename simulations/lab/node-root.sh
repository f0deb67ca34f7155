#!/bin/bash
# Runs inside a node's fresh network, mount, PID and UTS namespaces: gives the node a root file system of its own and starts it.
# The node sees a read-only /usr, the program, its own configuration and its own logs; nothing of the lab, of /run/netns, of the
# scenarios or of other nodes exists in it.
# Environment: LAB_FOLDER (this node's), LAB_REPOSITORY, LAB_NODE_BINARY, LAB_START, LAB_UID, LAB_EXTRA (folder bound to /opt/extra), plus start-node.sh's.
set -eu
root=$LAB_FOLDER/root
mount -t tmpfs -o mode=755,size=64m tmpfs "$root"
cd "$root"
mkdir -p usr etc/frr etc/parley proc sys dev run tmp root var/lib/parley var/log var/tmp opt/node/bin opt/parley opt/extra old
ln -s usr/bin bin; ln -s usr/sbin sbin; ln -s usr/lib lib; ln -s usr/lib64 lib64; ln -s ../run var/run
chmod 1777 tmp var/tmp
mount -o bind,ro /usr usr
for part in src dist node_modules package.json; do
  [ -e "$LAB_REPOSITORY/$part" ] || continue
  if [ -d "$LAB_REPOSITORY/$part" ]; then mkdir "opt/parley/$part"; else touch "opt/parley/$part"; fi
  mount -o bind,ro "$LAB_REPOSITORY/$part" "opt/parley/$part"
done
touch opt/node/bin/node
mount -o bind,ro "$LAB_NODE_BINARY" opt/node/bin/node
cp "$LAB_START" opt/start-node.sh
if [ -n "${LAB_EXTRA:-}" ]; then mount -o bind,ro "$LAB_EXTRA" opt/extra; fi
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount -o bind "/dev/$device" "dev/$device"
done
for file in ld.so.cache nsswitch.conf pam.conf protocols services; do
  [ -e "/etc/$file" ] && cp "/etc/$file" etc/
done
for folder in alternatives iproute2 pam.d security ssl; do
  [ -d "/etc/$folder" ] && cp -r "/etc/$folder" etc/
done
grep -E '^(root|daemon|nobody|frr|_lldpd|tcpdump):' /etc/passwd > etc/passwd
grep -E '^(root|daemon|nogroup|frr|frrvty|_lldpd|tcpdump):' /etc/group > etc/group
echo "parley:x:$LAB_UID:$LAB_UID:agent:/var/lib/parley:/usr/sbin/nologin" >> etc/passwd
echo "parley:x:$LAB_UID:" >> etc/group
helper_group=$((LAB_UID + 20000))
echo "parley-agent:x:$helper_group:parley" >> etc/group
config_group=$((LAB_UID + 30000))
echo "parley-config:x:$config_group:parley" >> etc/group
echo "parley-helper:x:$((LAB_UID + 10000)):$helper_group:helper:/:/usr/sbin/nologin" >> etc/passwd
printf '127.0.0.1 localhost\n::1 localhost\n' > etc/hosts
cp -r "$LAB_FOLDER/etc/." etc/
chown -R frr:frr etc/frr
mount -o bind "$LAB_FOLDER/log" var/log
mount -o bind "$LAB_FOLDER/state" var/lib/parley
chown -R "$LAB_UID:$LAB_UID" var/lib/parley
mkdir -p var/log/parley run/parley run/parley-helper run/parley-config var/lib/parley-config var/lib/parley-helper
chown frr:frr var/lib/parley-config
chmod 700 var/lib/parley-config
chown "frr:$config_group" run/parley-config
chown "$LAB_UID:$LAB_UID" var/log/parley run/parley
chown "$((LAB_UID + 10000)):$helper_group" run/parley-helper var/lib/parley-helper
chmod 700 var/lib/parley-helper
chmod 750 var/log/parley
chmod 2750 run/parley-helper run/parley-config
chown -R "root:$LAB_UID" etc/parley
chmod -R u=rwX,g=rX,o= etc/parley
# Says whose consent counts: root's alone, and read by FRR's user.
if [ -d etc/parley-config ]; then
  chown -R root:root etc/parley-config
  chmod -R u=rwX,go=rX etc/parley-config
fi
if [ -d etc/parley/identity ]; then
  chown -R "$LAB_UID:$LAB_UID" etc/parley/identity
  chmod -R u=rwX,go= etc/parley/identity
fi
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
pivot_root . old
umount -l /old
rmdir /old
cd /
for variable in $(compgen -e); do
  case $variable in NODE_NAME|NODE_ROLE|NODE_SERVICES|LLDP_INTERVAL|PARLEY_HELPER|PARLEY_CONFIG|PARLEY_ROLLBACK|PARLEY_AGENT) ;; *) unset "$variable" ;; esac
done
exec /bin/bash /opt/start-node.sh
