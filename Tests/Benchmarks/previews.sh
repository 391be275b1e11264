# The scenario `previews` of Scripts/bench, which sources this file and then calls `build_previews`
# once and `round_previews` in each round. Both use the functions and settings of that script.
# shellcheck shell=bash disable=SC2154,SC2034

pages_pid=
service_pid=

build_previews() {
  local source=$root/Tests/Benchmarks flags=(-std=gnu11 -O2 -Wall -Wextra)
  cc "${flags[@]}" -o "$work/page-server" "$source/page-server.c"
  cc "${flags[@]}" -o "$work/unfurl-client" "$source"/{unfurl-client,server-usage}.c
  [ -n "$parley_unfurl" ] || parley_unfurl=$(product parley-unfurl)
  if [ -z "$extractor" ] && grep -q '"extractor-throughput"' "$root/Package.swift"; then
    extractor=$(product extractor-throughput)
  fi
  [ -x "$parley_unfurl" ] || die "$parley_unfurl cannot be run"
  [ -z "$extractor" ] || [ -x "$extractor" ] || die "$extractor cannot be run"
}

# start_pages [--close]
start_pages() {
  : >"$work/pages.log"
  "${on_client_core[@]}" "$work/page-server" --addresses "$page_addresses" "$@" \
    >>"$work/pages.log" 2>&1 </dev/null &
  pages_pid=$!
  await_port plain "$work/pages.log" "$pages_pid" || die "the page server did not start"
  pages_port=$port
}

# Its last line tells what it has served.
stop_pages() {
  [ -n "$pages_pid" ] || return 0
  kill -TERM "$pages_pid" 2>/dev/null || true
  wait "$pages_pid" 2>/dev/null || true
  pages_pid=
}

start_service() {
  : >"$work/server.log"
  "${on_server_core[@]}" "$parley_unfurl" --listen 127.0.0.1:0 "${may_fetch[@]}" \
    >>"$work/server.log" 2>&1 </dev/null &
  service_pid=$!
  if ! await_port plain "$work/server.log" "$service_pid"; then
    echo "bench: parley-unfurl did not say where it listens" >&2
    return 1
  fi
  service_port=$port
}

stop_service() {
  stop "$service_pid"
  service_pid=
}

# measure_service ROUND CASE RATE [--close]
measure_service() {
  local round=$1 case=$2 rate=$3 status=0
  shift 3
  printf '  round %s: %s, parley-unfurl\n' "$round" "$case" >&2
  start_pages "$@"
  if start_service; then
    run_client "$work/unfurl-client" --port "$service_port" --server "$service_pid" \
      --pages "$pages_pid" --pages-port "$pages_port" --addresses "$page_addresses" \
      --connections 64 --rate "$rate" --seconds "$service_seconds" || status=$?
  else
    status=1
  fi
  stop_service
  stop_pages
  if [ $status -eq 0 ]; then
    local result pages
    result=$(<"$work/result.json")
    pages=$(tail -n 1 "$work/pages.log")
    echo "${result%\}},${pages#\{}" >"$work/result.json"
  fi
  conclude $status "$round" "$case" parley-unfurl
}

# measure_latency ROUND embedded|http one-core|any-core
# Where parleyd and parley-unfurl may run: both on the server's core, or wherever the kernel puts
# them, as in most installations. The client and the page server stay on theirs.
measure_latency() {
  local round=$1 mode=$2 place=$3 unfurler=()
  [ "$place" = one-core ] || local on_server_core=()
  start_pages
  if [ "$mode" = http ]; then
    start_service || die "there is nothing to ask for previews"
    unfurler=(--unfurler "$service_pid")
    previews_settings=(--unfurl-mode http --unfurl-url "http://127.0.0.1:$service_port/")
    mv "$work/server.log" "$work/service.log"
  else
    previews_settings=(--unfurl-mode embedded "${may_fetch[@]}")
  fi
  measure "$round" "latency/$mode/$place" parley plain previews --channels 20 --rate 1000 \
    --seconds 2 --cycles "$cycles" --pages-port "$pages_port" \
    --addresses "$page_addresses" "${unfurler[@]}"
  previews_settings=(--unfurl-mode off)
  stop_service
  stop_pages
}

# Lines of name, value and unit become one record for each name.
measure_extractor() {
  printf '  round %s: extractor\n' "$1" >&2
  "${on_server_core[@]}" "$extractor" 3 >"$work/extractor.txt"
  python3 - "$1" "$work/extractor.txt" >"$work/extractor.jsonl" <<'PYTHON'
import json, sys
for line in open(sys.argv[2], encoding="utf-8"):
    words = line.split()
    if line.startswith("#") or len(words) != 3:
        continue
    print(json.dumps({"round": int(sys.argv[1]), "case": "extractor", "server": words[0],
                      "value": float(words[1]), "unit": words[2]}))
PYTHON
  cat "$work/extractor.jsonl" >>"$records"
  if [ -n "$json" ]; then cat "$work/extractor.jsonl" >>"$json"; fi
}

round_previews() {
  measure_service "$1" service/keep-alive/0 0
  measure_service "$1" service/close/0 0 --close
  measure_service "$1" service/keep-alive/1000 1000
  measure_service "$1" service/close/1000 1000 --close
  local mode place
  for mode in embedded http; do
    for place in any-core one-core; do measure_latency "$1" $mode $place; done
  done
  if [ -n "$extractor" ]; then measure_extractor "$1"; fi
}
