#!/bin/sh
# Kills the primary of two PostgreSQL with Patroni and etcd, in the middle of orders at two servers, and counts:
# sh deploy/ha-test.sh [FAILOVERS]
#
# Needs root, Debian and Go, and takes a minute for each failover. It installs the programs that are missing; their
# services need not run. The databases are configured by patroni.yml.
set -eu
cd "$(dirname "$0")/.."
missing=''
command -v patroni >/dev/null || missing="$missing patroni"
command -v etcd >/dev/null || missing="$missing etcd-server"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
[ -e /etc/ssl/private/ssl-cert-snakeoil.key ] || missing="$missing ssl-cert"
if [ -n "$missing" ]; then
  apt-get update -qq
  # shellcheck disable=SC2086 # several names
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
exec go test ./e2e -count=1 -v -timeout 30m -run '^TestFailover$' -failovers "${1:-2}"
