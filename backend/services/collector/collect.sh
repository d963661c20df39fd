#!/bin/sh
# Stallscope collector. Captures every point of a packet's path on this node at once, with the kernel's own listings
# before, at intervals and after; ends by itself and packs one bundle. Run it as root. It reads, and changes nothing.
# Each value can be given from outside: DURATION_S=120 POD_IP=10.244.1.7 sh collect.sh
set -u
umask 077
#CHOICES#

say() { printf 'stallscope-collect: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }
now() { date -u +%Y-%m-%dT%H:%M:%SZ; }

[ "$(id -u)" = 0 ] || die "run it as root: captures and connection tracking need that."
have tcpdump || have dumpcap || die "neither tcpdump nor dumpcap is here: install one, or run it from a debug container."
have ip || die "the command ip (iproute2) is missing."

name=stallscope-$(uname -n)-$(date -u +%Y%m%dT%H%M%SZ)
parent=$(mktemp -d) || die "no folder for temporary files."
work=$parent/$name
mkdir "$work" || die "no folder for temporary files."
children=""

finish() {
  trap - EXIT INT TERM
  stop_captures
  rm -rf "$parent"
}
trap finish EXIT
trap 'ended_early=1' INT TERM
ended_early=0

# The interfaces on the way: the pod's own end on the node, the bridges, the ways out.
points() {
  if [ -n "$INTERFACES" ]; then
    printf '%s\n' "$INTERFACES" | tr ', ' '[\n*]'
    return
  fi
  pod_side
  ip -o link show type bridge 2>/dev/null | awk -F': ' '{ print $2 }'
  ip -o route show default 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p'
}

pod_side() {
  [ -n "$POD_IP" ] || return 0
  device=$(ip -o route get "$POD_IP" 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)
  mac=$(ip neigh show "$POD_IP" dev "${device:-lo}" 2>/dev/null | sed -n 's/.*lladdr \([^ ]*\).*/\1/p' | head -n 1)
  if [ -n "$mac" ] && have bridge; then
    bridge fdb show br "$device" 2>/dev/null | awk -v mac="$mac" '$1 == mac && !/ self/ { print $3; exit }'
  fi
  printf '%s\n' "$device"
}

capture() {
  file=$work/$(printf %s "$1" | tr -c 'A-Za-z0-9_.-' '_')
  if have tcpdump; then
    # Written by the shell: tcpdump gives its rights up and could not write here.
    # shellcheck disable=SC2086 # the option is a word of its own or none
    tcpdump -i "$1" -s "$SNAP_BYTES" $nano -U -w - "$FILTER" >"$file.pcap" 2>>"$work/collect.log" &
  else
    dumpcap -q -i "$1" -s "$SNAP_BYTES" -f "$FILTER" -w "$file.pcapng" >>"$work/collect.log" 2>&1 &
  fi
  children="$children $!"
}

stop_captures() {
  # shellcheck disable=SC2086 # a list of numbers
  [ -z "$children" ] || kill -INT $children 2>/dev/null
  # shellcheck disable=SC2086
  [ -z "$children" ] || wait $children 2>/dev/null
  children=""
}

# One listing under its time; listings of one name become a series.
list() {
  file=$work/$1.txt
  shift
  have "$1" || return 0
  {
    printf '=== %s\n' "$(now)"
    "$@"
  } >>"$file" 2>>"$work/collect.log" || true
}

list_file() {
  [ -r "$2" ] || return 0
  list "$1" cat "$2"
}

list_once() {
  list uname uname -a
  list ip-addr ip -d addr
  list ip-link ip -d link
  list sysctl sysctl -a --pattern '^net\.(ipv4\.(vs|tcp_syn|ip_local|tcp_tw)|netfilter|core\.(somaxconn|netdev))'
  list iptables-save iptables-save -t nat
  list ruleset nft list ruleset
}

list_counters() {
  list conntrack-S conntrack -S
  list_file nf_conntrack-stat /proc/net/stat/nf_conntrack
  list nstat nstat -az
  list ss-listen ss -lnt
  list_file softnet_stat /proc/net/softnet_stat
  if [ "$PROXY" != iptables ] && [ "$PROXY" != nftables ]; then
    list ipvsadm-Ln ipvsadm -Ln
    list ipvsadm-stats ipvsadm -Ln --stats
  fi
}

list_tables() {
  list conntrack-L conntrack -L -o extended,id
  if [ "$PROXY" != iptables ] && [ "$PROXY" != nftables ]; then
    list ipvsadm-Lnc ipvsadm -Lnc
    list ipvsadm-timeout ipvsadm -L --timeout
  fi
}

nano=""
if have tcpdump && tcpdump --help 2>&1 | grep -q time-stamp-precision; then nano=--time-stamp-precision=nano; fi
interfaces=$(points | awk 'NF && !seen[$0]++' | head -n 8)
[ -n "$interfaces" ] || die "no interface was found: name them, as in INTERFACES='cni0 eth0' sh collect.sh"

say "capturing $(printf %s "$interfaces" | tr '\n' ' ')for $DURATION_S s, at most $SIZE_MB MB, $SNAP_BYTES bytes a packet"
list_once
list_counters
list_tables
for interface in $interfaces; do capture "$interface"; done
if have conntrack; then
  conntrack -E -o timestamp >"$work/conntrack-E.txt" 2>>"$work/collect.log" &
  children="$children $!"
fi
if [ "$KERNEL_PROBE" = yes ] && have bpftrace; then
  bpftrace -e 'kprobe:icmp_echo { printf("%d %d %s %llu\n", pid, tid, comm, nsecs); }' >"$work/icmp_echo.txt" 2>>"$work/collect.log" &
  children="$children $!"
fi

waited=0
while [ "$waited" -lt "$DURATION_S" ] && [ "$ended_early" = 0 ]; do
  sleep 1
  waited=$((waited + 1))
  [ $((waited % EVERY_S)) != 0 ] || list_counters
  if [ "$(du -sk "$work" | cut -f 1)" -ge $((SIZE_MB * 1024)) ]; then
    say "$SIZE_MB MB are reached after $waited s"
    break
  fi
done
list_tables
list_counters
stop_captures

bundle=$(pwd)/$name.tar.gz
tar -C "$parent" -czf "$bundle" "$name" || die "the bundle could not be written to $bundle"
say "done: $bundle"
printf 'stallscope upload %s --server %s --wait\n' "$bundle" "$SERVER"
