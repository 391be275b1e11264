#!/bin/bash
# Runs inside a Debian that systemd has booted: what an operator does with the package, one day after
# the other. Says each thing that holds on a line of its own; ends at the first that does not.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
trap 'echo "FAILED in line $LINENO: $BASH_COMMAND"; journalctl --no-pager --lines 20' ERR

property() { systemctl show --property "$2" --value "$1"; }

# until_true COMMAND ...: waits for it, half a minute at most.
until_true() {
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  echo "never true: $*"
  return 1
}

is() { [ "$(property "$1" "$2")" = "$3" ]; }
is_not() { [ "$(property "$1" "$2")" != "$3" ]; }
parley() { runuser -u parley -- parley "$@" --api-token-file /var/lib/parley/api-token; }
# Unlike a bare "!", this ends the script when it does not hold.
fails() { ! "$@"; }
# Reads to the end, so that whoever writes is not cut off.
has() { grep -c -- "$1" >/dev/null; }
# logged UNIT TEXT: whether the log of a unit contains a text.
logged() { journalctl --unit "$1" --no-pager | has "$2"; }
answers() { bash /healthcheck "$1"; }

apt-get install --yes --no-install-recommends /parley.deb
is parleyd ActiveState active
is parleyd StatusText serving
systemctl is-enabled parleyd
answers 8080
fails systemctl is-enabled parley-unfurl
echo "ok: installing starts the gateway, which says that it serves"

parley channel create lobby
parley channel list | has lobby
[ "$(stat --format %U:%a /var/lib/parley)" = parley:700 ]
grep -q '^CapEff:[[:space:]]*0*$' "/proc/$(property parleyd MainPID)/status"
grep -q '^Seccomp:[[:space:]]*2$' "/proc/$(property parleyd MainPID)/status"
grep -q '^NoNewPrivs:[[:space:]]*1$' "/proc/$(property parleyd MainPID)/status"
echo "ok: locked down, it stores and serves"

(
  set -a
  . /etc/parley/parley.env
  runuser -u parley -- parleyd --config /etc/parley/parley.yaml --check-config --deep
) | has 'listen: .* is in use by the running server'
echo "ok: the check of the documentation finds no fault with a server that runs"

main=$(property parleyd MainPID)
systemctl reload parleyd
until_true is parleyd StatusText serving
is parleyd ActiveState active
is parleyd MainPID "$main"
cp -p /etc/parley/parley.yaml /settings
echo 'log.level: loud' >>/etc/parley/parley.yaml
fails systemctl reload parleyd
logged parleyd 'log.level: expected one of'
is parleyd ActiveState active
sed -i 's/loud/debug/' /etc/parley/parley.yaml
systemctl reload parleyd
until_true logged parleyd 'reloaded the settings'
cp -p /settings /etc/parley/parley.yaml
systemctl reload parleyd
is parleyd MainPID "$main"
echo "ok: a reload keeps the process and adopts settings; an invalid file fails it and changes nothing"

mkdir -p /etc/systemd/system/parleyd.service.d
printf '[Service]\nWatchdogSec=3\n' >/etc/systemd/system/parleyd.service.d/watchdog.conf
systemctl daemon-reload
systemctl restart parleyd
main=$(property parleyd MainPID)
sleep 6
is parleyd MainPID "$main"
kill -STOP "$main"
until_true is_not parleyd MainPID "$main"
until_true is parleyd ActiveState active
is parleyd NRestarts 1
journalctl --unit parleyd --no-pager | has 'Watchdog timeout'
parley channel list | has lobby
rm /etc/systemd/system/parleyd.service.d/watchdog.conf
systemctl daemon-reload
echo "ok: who gives no sign of life is restarted, and has lost nothing"

systemctl stop parleyd
is parleyd Result success
is parleyd ExecMainStatus 0
journalctl --unit parleyd --no-pager | has draining
cp -p /etc/parley/parley.yaml /settings
echo 'nonsense: 1' >>/etc/parley/parley.yaml
fails systemctl start parleyd
is parleyd ExecMainStatus 78
is parleyd NRestarts 0
cp -p /settings /etc/parley/parley.yaml
systemctl reset-failed parleyd
echo "ok: a stop drains; wrong settings are not tried again"

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -keyout /privkey.pem -out /fullchain.pem 2>/dev/null
install -m 0640 -g parley /fullchain.pem /privkey.pem /etc/parley/
cp /port443.conf /etc/systemd/system/parleyd.service.d/port443.conf
systemctl daemon-reload
cat >>/etc/parley/parley.yaml <<'END'
tls: {listen: ["127.0.0.1:443"], certificate: /etc/parley/fullchain.pem, private_key: /etc/parley/privkey.pem}
END
systemctl start parleyd
printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' \
  | openssl s_client -quiet -connect 127.0.0.1:443 2>/dev/null | has '200 OK'
echo "ok: with the drop-in of the documentation it serves TLS on port 443"

systemctl enable --now parley-unfurl
is parley-unfurl ActiveState active
answers 8090
grep -q '^CapEff:[[:space:]]*0*$' "/proc/$(property parley-unfurl MainPID)/status"
systemctl reload parley-unfurl
until_true is parley-unfurl StatusText serving
echo "ok: the preview service runs as a user of its own"

main=$(property parleyd MainPID)
unfurl=$(property parley-unfurl MainPID)
dpkg --install /next.deb
is parleyd ActiveState active
is_not parleyd MainPID "$main"
is_not parley-unfurl MainPID "$unfurl"
parley channel list | has lobby
grep -q 127.0.0.1:443 /etc/parley/parley.yaml
echo "ok: an upgrade restarts both, with their settings and messages"

systemctl enable --now parley-backup.timer
dpkg --remove parley
fails systemctl is-active parleyd
fails systemctl is-active parley-unfurl
fails systemctl is-active parley-backup.timer
[ -e /var/lib/parley/parley.sqlite ]
dpkg --purge parley
[ ! -e /var/lib/parley ]
[ ! -e /var/log/parley ]
[ ! -L /etc/systemd/system/timers.target.wants/parley-backup.timer ]
fails systemctl is-enabled parleyd
echo "ok: removing stops both, purging leaves nothing"
echo "all is well"
