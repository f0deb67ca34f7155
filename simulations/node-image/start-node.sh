#!/bin/bash
# Process 1 of a node, the same in the container image and in namespace labs: forwarding, lldpd, FRR, the privileged read helper,
# the configuration helper as FRR's user, the agent as an unprivileged user. Installs nothing and knows nothing of its neighbours.
# Environment: NODE_NAME, NODE_ROLE (router, or host: no forwarding, no lldpd, no FRR, no agent), NODE_SERVICES (of a host: dns, http, dhcp), LLDP_INTERVAL (seconds), PARLEY_HELPER,
# PARLEY_CONFIG, PARLEY_ROLLBACK and PARLEY_AGENT (command lines; empty: not started).
set -u
export PATH=/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
hostname "$NODE_NAME"

# Answers every request with three octets; perl is in every Debian.
HTTP_SERVER='
  open(my $pid, ">", "/run/http.pid"); print $pid $$; close($pid); $SIG{PIPE} = "IGNORE";
  my $server = IO::Socket::IP->new(LocalHost => "::", LocalPort => 80, Listen => 64, ReuseAddr => 1, V6Only => 0) or die $!;
  while (1) {
    my $client = $server->accept or next;
    $client->timeout(2);
    while (defined(my $line = <$client>)) { last if $line =~ /^\r?\n$/ }
    print $client "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nok\n"; close($client);
  }'

set_kernel() { [ -w "/proc/sys/$1" ] && echo "$2" > "/proc/sys/$1"; }
forwarding=1
[ "${NODE_ROLE:-router}" = host ] && forwarding=0
set_kernel net/ipv4/ip_forward $forwarding
set_kernel net/ipv4/icmp_ratelimit 0
set_kernel net/ipv4/ping_group_range '0 2147483647'
set_kernel net/ipv6/icmp/ratelimit 0
set_kernel net/ipv6/fib_multipath_hash_policy 1
for scope in all default; do
  set_kernel net/ipv4/conf/$scope/rp_filter 0
  set_kernel net/ipv6/conf/$scope/forwarding $forwarding
  set_kernel net/ipv6/conf/$scope/keep_addr_on_down 1
  set_kernel net/ipv6/conf/$scope/accept_dad 0
  set_kernel net/ipv6/conf/$scope/accept_ra 0
done
for interface in /proc/sys/net/ipv6/conf/{lo,eth*}; do
  [ -d "$interface" ] || continue
  for pair in forwarding=$forwarding keep_addr_on_down=1 accept_dad=0 accept_ra=0; do
    echo "${pair#*=}" > "$interface/${pair%=*}"
  done
done
ip link set lo up
for interface in /sys/class/net/eth*; do
  [ -e "$interface" ] || continue
  name=${interface##*/}
  # Both ends of a link must count the same units: no segmentation or receive offload.
  ethtool -K "$name" tx off rx off sg off tso off gso off gro off > /dev/null 2>&1
  ip link set "$name" up
done

if [ "${NODE_ROLE:-router}" != host ]; then
  mkdir -p /run/frr /run/lldpd /var/log/frr
  chown frr:frrvty /run/frr
  chown frr:frr /var/log/frr
  {
    echo "configure system hostname $NODE_NAME"
    echo "configure lldp tx-interval ${LLDP_INTERVAL:-30}"
    echo 'configure lldp portidsubtype ifname'
    echo 'configure system interface pattern eth*'
  } > /etc/lldpd.conf
  lldpd -k -i -S 'parley node' -O /etc/lldpd.conf

  for daemon in zebra staticd $(sed -n 's/^\([a-z0-9]*d\)=yes.*/\1/p' /etc/frr/daemons); do
    "/usr/lib/frr/$daemon" -d -F traditional -A 127.0.0.1
  done
  vtysh -b > /var/log/frr/vtysh-boot.log 2>&1
fi

if [ -n "${PARLEY_HELPER:-}" ]; then
  # As the unit of the helper does.
  chgrp -f parley-agent /proc/net/ip_tables_names /proc/net/ip6_tables_names || true
  # shellcheck disable=SC2086 # a command line, split on purpose
  setpriv --reuid parley-helper --regid parley-agent --groups "parley-agent,frr,frrvty,_lldpd,$(stat -c %g /usr/sbin/lldpcli)" --no-new-privs \
    --inh-caps=-all,+net_admin,+net_raw --ambient-caps=-all,+net_admin,+net_raw --bounding-set=-all,+net_admin,+net_raw \
    $PARLEY_HELPER > /var/log/parley-helper.out 2>&1 &
  for _ in $(seq 100); do [ -S /run/parley-helper/helper.sock ] && break; sleep 0.05; done
fi
# Not even the right to become another user: FRR's user owns the configuration and the daemons' sockets; live settings need one capability.
as_frr() {
  setpriv --reuid frr --regid frr --groups frr,frrvty --no-new-privs \
    --inh-caps=-all,+net_admin --ambient-caps=-all,+net_admin --bounding-set=-all,+net_admin "$@"
}
if [ -n "${PARLEY_ROLLBACK:-}" ]; then
  # Stands for the service manager's path unit: while a change is open, somebody watches it.
  (
    while :; do
      # shellcheck disable=SC2086
      [ -e /var/lib/parley-config/journal.json ] && as_frr $PARLEY_ROLLBACK >> /var/log/parley-rollback.out 2>&1
      sleep 0.2
    done
  ) &
fi
if [ -n "${PARLEY_CONFIG:-}" ]; then
  # shellcheck disable=SC2086
  as_frr $PARLEY_CONFIG > /var/log/parley-config.out 2>&1 &
  for _ in $(seq 100); do [ -S /run/parley-config/config.sock ] && break; sleep 0.05; done
fi
if [ -n "${PARLEY_AGENT:-}" ]; then
  # A program of its own, so that an agent that ended can be started again: by hand in a container, between cases in a lab.
  {
    echo '#!/bin/bash'
    echo 'exec setpriv --reuid parley --regid parley --groups parley-agent,parley-config --no-new-privs --inh-caps=-all --bounding-set=-all \'
    echo "  env HOME=/var/lib/parley \${AGENT_ENVIRONMENT:-} $PARLEY_AGENT >> /var/log/parley/agent.out 2>&1"
  } > /run/start-agent
  chmod 700 /run/start-agent
  /run/start-agent &
fi
# Services are programs of their own as well: what is dead can be started again.
for service in ${NODE_SERVICES:-}; do
  # Which addresses it gives to whom, only who made the network knows.
  [ "$service" = dhcp ] && continue
  case $service in
    dns) echo 'exec dnsmasq -C /dev/null -R -h -u root --address=/www.lab.example/192.0.2.80 --pid-file=/run/dns.pid' ;;
    http) echo "exec perl -MIO::Socket::IP -e '$HTTP_SERVER'" ;;
  esac > "/run/start-$service"
  setsid bash "/run/start-$service" < /dev/null > /dev/null 2>&1 &
done
touch /run/node-started

trap 'exit 0' TERM INT
while :; do
  sleep infinity &
  wait $!
done
