# The scenarios `cluster-…` of Scripts/bench, which sources this file and then calls `build_cluster`
# once and their `round_…` in each round. They use the functions and settings of that script.
#
# One PostgreSQL and one Redis serve all of a run; every measurement has fresh servers and a database
# of its own. A kind of deployment is `sqlite` or `postgresql` (one server), `redis` or `notify`
# (three servers on PostgreSQL with that bus).
# shellcheck shell=bash disable=SC2154,SC2034

postgresql_pid=
redis_pid=
redis_port=
database_count=0
cluster_pids=()
cluster_ports=()
beside=()

build_cluster() {
  local folder programs
  programs=$(find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | sort -V | tail -n 1)
  [ -n "$programs" ] || die "postgresql is not installed"
  command -v redis-server >/dev/null || die "redis-server is not installed"
  command -v curl >/dev/null || die "curl is not installed"
  postgresql=$programs
  folder=$work/postgresql
  mkdir "$folder"
  # PostgreSQL does not run as root.
  as_postgres=()
  if [ "$(id -u)" -eq 0 ]; then
    as_postgres=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    chmod 711 "$work"
    chown postgres "$folder"
  fi
  (cd "$folder" && "${as_postgres[@]}" "$postgresql/initdb" -D data -U parley -A trust -E UTF8 \
    --locale=C) >"$work/initdb.log" 2>&1 || die "initdb failed: $(tail -n 2 "$work/initdb.log")"
  start_backends
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

start_backends() {
  local waited
  postgresql_port=$(free_port)
  (cd "$work/postgresql" && exec "${as_postgres[@]}" "$postgresql/postgres" -D data \
    -p "$postgresql_port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
    -c max_connections=200) >"$work/postgresql.log" 2>&1 </dev/null &
  postgresql_pid=$!
  redis_port=$(free_port)
  redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --appendonly no --dir "$work" \
    >"$work/redis.log" 2>&1 </dev/null &
  redis_pid=$!
  for ((waited = 0; waited < 200; waited++)); do
    if "$postgresql/pg_isready" -q -h 127.0.0.1 -p "$postgresql_port" \
      && redis-cli -p "$redis_port" ping >/dev/null 2>&1; then
      return 0
    fi
    sleep 0.1
  done
  die "PostgreSQL or Redis did not start"
}

stop_backends() {
  # SIGKILL would leave its children and its shared memory behind.
  if [ -n "$postgresql_pid" ]; then
    kill -QUIT "$postgresql_pid" 2>/dev/null || true
    wait "$postgresql_pid" 2>/dev/null || true
  fi
  stop "$redis_pid"
  postgresql_pid='' redis_pid=''
}

# start_servers KIND pinned|free
start_servers() {
  local kind=$1 number count=1 log environment=(PARLEY_AUTH_API_TOKEN=benchmark) url place=()
  [ "$2" = free ] || place=("${on_server_core[@]}")
  cluster_pids=() cluster_ports=() beside=()
  if [ "$kind" != sqlite ]; then
    database_count=$((database_count + 1))
    "$postgresql/createdb" -h 127.0.0.1 -p "$postgresql_port" -U parley "bench$database_count"
    url=postgresql://parley@127.0.0.1:$postgresql_port/bench$database_count
    mkdir -p "$work/files"
    environment+=("PARLEY_STORE_URL=$url" PARLEY_FILES_PUBLIC_URL=http://127.0.0.1:9
      "PARLEY_FILES_STORE=directory:$work/files")
    beside=(--database "$postgresql_pid")
  fi
  case $kind in
    redis)
      count=3
      environment+=("PARLEY_CLUSTER_BUS=redis://127.0.0.1:$redis_port")
      beside+=(--broker "$redis_pid")
      ;;
    notify) count=3 environment+=(PARLEY_CLUSTER_BUS=postgresql) ;;
  esac
  environment+=("PARLEY_CLUSTER_NAME=bench$database_count")
  for ((number = 0; number < count; number++)); do
    rm -rf "$work/data-$number"
    log=$work/server-$number.log
    : >"$log"
    env "${environment[@]}" "${place[@]}" "$parleyd" --listen 127.0.0.1:0 \
      --data-dir "$work/data-$number" --reactors 1 --unfurl-mode off --limits-flood-messages 0 \
      --limits-user-flood-messages 0 --limits-throttle-messages 0 --limits-unopened-connections-per-address 0 \
      "${cluster_options[@]}" >>"$log" 2>&1 </dev/null &
    cluster_pids+=($!)
  done
  for ((number = 0; number < count; number++)); do
    await_port plain "$work/server-$number.log" "${cluster_pids[number]}" || return 1
    cluster_ports+=("$port")
  done
  [ "$count" -eq 1 ] || await_cluster
}

# ask PORT PATH: what the Platform API answers.
ask() {
  curl --silent --max-time 5 -H 'Api-Token: benchmark' "http://127.0.0.1:$1/v3$2"
}

# The servers must see each other before homes stay where they are.
await_cluster() {
  local waited port live
  for ((waited = 0; waited < 100; waited++)); do
    live=0
    for port in "${cluster_ports[@]}"; do
      live=$((live + $(ask "$port" /parley/cluster | grep -o '"state":"live"' | wc -l)))
    done
    [ "$live" -lt $((${#cluster_ports[@]} * ${#cluster_ports[@]})) ] || return 0
    sleep 0.1
  done
  return 1
}

# Sets `prefix` so that the channel `$prefix-0` is at home on the last server, where neither its
# publisher nor its first subscriber is.
choose_prefix() {
  local last=${cluster_ports[-1]} wanted number home
  prefix=bench
  [ ${#cluster_ports[@]} -gt 1 ] || return 0
  wanted=$(ask "$last" /parley/cluster | grep -oE '"server_id":"[^"]+"' | head -n 1 | cut -d '"' -f 4)
  for ((number = 0; number < 200; number++)); do
    prefix=bench$number
    home=$(ask "$last" "/parley/cluster?channel_url=$prefix-0" | grep -oE '"home":"[^"]+"' | cut -d '"' -f 4)
    [ "$home" != "$wanted" ] || return 0
  done
  return 1
}

stop_servers() {
  local pid
  for pid in "${cluster_pids[@]}"; do stop "$pid"; done
  cluster_pids=()
}

joined() {
  local IFS=,
  echo "$*"
}

# measure_servers ROUND CASE KIND pinned|free MODE [option value]...
measure_servers() {
  local round=$1 case=$2 kind=$3 place=$4 status=0 client=()
  printf '  round %s: %s, %s\n' "$round" "$case" "$kind" >&2
  if start_servers "$kind" "$place" && choose_prefix; then
    [ "$place" = pinned ] || client=("${on_client_core[@]}") on_client_core=()
    run_client "$work/load-client" "$5" --dialect parley --port "$(joined "${cluster_ports[@]}")" \
      --server "$(joined "${cluster_pids[@]}")" --channel-prefix "$prefix" "${beside[@]}" \
      --timeout 120 "${@:6}" || status=$?
    [ "$place" = pinned ] || on_client_core=("${client[@]}")
  else
    echo "bench: the servers of $kind did not start" >&2
    status=1
  fi
  stop_servers
  cp "$work/server-0.log" "$work/server.log"
  conclude $status "$round" "$case" "$kind"
}

# All servers on one core: so deliveries a CPU second do not depend on how many cores there are.
round_cluster-cpu() {
  local round=$1 kind in_flight messages
  for in_flight in 1 16; do
    messages=$((deliveries / 3000))
    [ "$in_flight" -eq 1 ] || messages=$((messages * 4))
    for kind in $kinds; do
      measure_servers "$round" "cluster-fanout/1000/$in_flight" "$kind" pinned fanout \
        --connections 1000 --in-flight "$in_flight" --messages $messages
    done
  done
  for kind in $kinds; do
    measure_servers "$round" cluster-chatter/300/6/400 "$kind" pinned chatter --connections 300 \
      --channels 6 --rate 400 --seconds "$cluster_seconds"
  done
  for kind in $kinds; do
    measure_servers "$round" cluster-chatter/300/30/1000 "$kind" pinned chatter \
      --connections 300 --channels 30 --rate 1000 --seconds "$cluster_seconds"
  done
}

round_cluster-latency() {
  local round=$1 kind
  for kind in $kinds; do
    measure_servers "$round" cluster-latency/1 "$kind" free latency --connections 1 --rate 100 \
      --seconds "$cluster_seconds"
  done
}

round_cluster-durable() {
  local round=$1 kind senders in_flight
  for senders in 1 10 100; do
    for kind in $kinds; do
      measure_servers "$round" "cluster-durable/$senders/1" "$kind" free durable \
        --connections "$senders" --channels "$senders" --in-flight 1 --seconds "$cluster_seconds"
    done
  done
  for kind in $kinds; do
    measure_servers "$round" cluster-durable/100/16 "$kind" free durable --connections 100 \
      --channels 100 --in-flight 16 --seconds "$cluster_seconds"
  done
}
