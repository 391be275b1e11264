# Sourced by Scripts/bench and Scripts/bench-peers: servers and clients as processes, and the
# records of what they measured. Those scripts set `root`, `work` (a folder for what is made) and
# `records` (a file), and may set `json` (another), before they call any of this.
# shellcheck shell=bash disable=SC2034,SC2154

server_pid=
client_pid=
failures=0
json=

# The first two processors that this shell may use: one for the server, one for the client.
read -r -a cores < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2])')
on_server_core=() on_client_core=()
pinned="server and client on any core"
if [ ${#cores[@]} -eq 2 ]; then
  on_server_core=(taskset -c "${cores[0]}")
  on_client_core=(taskset -c "${cores[1]}")
  pinned="server on core ${cores[0]}, client on core ${cores[1]}"
fi

die() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# product NAME: builds an executable of the package, and prints its path.
product() {
  (cd "$root" && swift build -c release --static-swift-stdlib --product "$1" >&2) \
    || die "$1 could not be built"
  echo "$(cd "$root" && swift build -c release --show-bin-path)/$1"
}

# Builds the bare loop and the load client, and makes a certificate for whatever serves TLS.
build_load() {
  local source=$root/Tests/Benchmarks flags=(-std=gnu11 -O2 -Wall -Wextra)
  cc "${flags[@]}" -o "$work/bare-loop" "$source"/{bare-loop,websocket}.c -lssl -lcrypto
  cc "${flags[@]}" -o "$work/load-client" \
    "$source"/{load-client,connections,websocket,server-usage}.c \
    "$source"/{fanout,idle,ack,latency,openings,calls,sessions,reading,durable,chatter,previews}.c -lssl -lcrypto -lz
  cc "${flags[@]}" -o "$work/disk-sync" "$source"/{disk-sync,server-usage}.c
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
    -subj /CN=localhost -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
}

# stop PID: ends a process that this shell started, and its children.
stop() {
  local pid=$1 children
  [ -n "$pid" ] || return 0
  children=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null || true)
  # A drain would only take time here: everything that was to be measured has been. The parent goes
  # first, so that it starts no child anew.
  # shellcheck disable=SC2086
  kill -KILL "$pid" $children 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
}

stop_server() {
  stop "$server_pid"
  server_pid=
}

# await_port plain|tls LOG PID
# Waits for a server to print the address it listens on: a line with the word "listening" and
# 127.0.0.1:PORT (or .2, for pages), and with "TLS" or "wss" when that is the TLS listener.
port=
await_port() {
  local transport=$1 log=$2 pid=$3 lines waited
  for ((waited = 0; waited < 200; waited++)); do
    lines=$(grep -i listening "$log" || true)
    if [ "$transport" = tls ]; then
      lines=$(grep -iwE 'tls|wss' <<<"$lines" || true)
    else
      lines=$(grep -viwE 'tls|wss' <<<"$lines" || true)
    fi
    port=$(grep -oE '127\.0\.0\.[12]:[0-9]+' <<<"$lines" | head -n 1 | cut -d : -f 2 || true)
    if [ -n "$port" ]; then return 0; fi
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  return 1
}

# run_client PROGRAM [argument]...: its line of JSON goes to result.json.
run_client() {
  local status=0
  "${on_client_core[@]}" "$@" >"$work/result.json" </dev/null &
  client_pid=$!
  wait "$client_pid" || status=$?
  client_pid=
  return $status
}

# keep ROUND CASE SERVER: adds the measurement in result.json to the records.
keep() {
  local record
  record="{\"round\":$1,\"case\":\"$2\",\"server\":\"$3\",$(cut -c 2- "$work/result.json")"
  echo "$record" >>"$records"
  if [ -n "$json" ]; then echo "$record" >>"$json"; fi
}

# conclude STATUS ROUND CASE SERVER: keeps what was measured, or says that it failed.
conclude() {
  local status=$1 round=$2 case=$3 server=$4
  if [ "$status" -eq 0 ]; then
    keep "$round" "$case" "$server"
  else
    echo "$(basename "$0"): $case, $server: failed in round $round; the end of its log:" >&2
    tail -n 5 "$work/server.log" >&2
    failures=$((failures + 1))
  fi
}
