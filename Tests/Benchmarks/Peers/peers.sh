# The servers that Scripts/bench-peers compares, which sources this file: what each needs of the
# system, how it is started, and which version it is. Uses the functions of ../runs.sh.
# shellcheck shell=bash disable=SC2154,SC2034

peers_folder=$root/Tests/Benchmarks/Peers
nchan_module=
peers_python=

# find_NAME: succeeds when the peer can be started; on failure, get_NAME tries to install it.
find_bare() { true; }

find_nchan() {
  # Not in the PATH of everyone who may run it.
  [[ :$PATH: == *:/usr/sbin:* ]] || PATH=$PATH:/usr/sbin
  local folder
  command -v nginx >/dev/null || return 1
  for folder in /usr/lib/nginx/modules /usr/lib64/nginx/modules /usr/share/nginx/modules; do
    nchan_module=$folder/ngx_nchan_module.so
    [ ! -f "$nchan_module" ] || return 0
  done
  return 1
}

find_ws() {
  # Where Debian keeps modules; a node of another origin does not look there.
  [[ :${NODE_PATH:-}: == *:/usr/share/nodejs:* ]] \
    || export NODE_PATH=${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs
  command -v node >/dev/null && node -e "require('ws').WebSocketServer.name" 2>/dev/null
}

find_websockets() {
  peers_python=$results_folder/python/bin/python3
  [ -x "$peers_python" ] && cmp --silent "$peers_folder/requirements.txt" \
    "$results_folder/python/installed.txt"
}

get_nchan() { ensure_packages nginx libnginx-mod-nchan; }
get_ws() { ensure_packages nodejs node-ws; }

get_websockets() {
  local folder=$results_folder/python python=/usr/bin/python3
  # Debian's own is built with all optimizations; another in the PATH may not be.
  [ -x $python ] || python=python3
  $python -c 'import ensurepip, venv' 2>/dev/null || ensure_packages python3 python3-venv
  rm -rf "$folder"
  $python -m venv "$folder" \
    && "$folder/bin/pip" install --quiet --disable-pip-version-check \
      --requirement "$peers_folder/requirements.txt" \
    && cp "$peers_folder/requirements.txt" "$folder/installed.txt"
}

version_bare() { echo "bare-loop.c, $(cc --version | head -n 1)"; }
version_ws() {
  # The package lets nothing but its code be required.
  node -p "const fs = require('fs'), path = require('path');
    const about = path.join(path.dirname(require.resolve('ws')), 'package.json');
    'Node ' + process.versions.node + ' with ws ' + JSON.parse(fs.readFileSync(about)).version"
}
version_websockets() {
  "$peers_python" -c 'import platform, websockets
print("Python", platform.python_version(), "with websockets", websockets.__version__)'
}
version_nchan() {
  local nchan
  nchan=$(dpkg-query --show --showformat='${source:Upstream-Version}' libnginx-mod-nchan \
    2>/dev/null || true)
  echo "nginx $(nginx -v 2>&1 | grep -oE '[0-9.]+' | head -n 1) with nchan ${nchan%%[+~]*}"
}

# start_nchan plain|tls LOG: nginx cannot pick a free port itself, so one is looked for.
start_nchan() {
  local transport=$1 log=$2 tls="" try descriptors
  [ "$transport" = plain ] || tls=" ssl"
  descriptors=$(ulimit -n)
  # What is allowed may be a million, and nginx allocates for as many at its start.
  if [ "$descriptors" = unlimited ] || [ "$descriptors" -gt 32768 ]; then descriptors=32768; fi
  for try in 1 2 3; do
    port=$(python3 -c 'import socket
listener = socket.socket(); listener.bind(("127.0.0.1", 0)); print(listener.getsockname()[1])')
    sed -e "s|@MODULE@|$nchan_module|; s|@WORK@|$work|; s|@PORT@|$port|; s|@TLS@|$tls|" \
      -e "s|@DESCRIPTORS@|$descriptors|; s|@CONNECTIONS@|$((descriptors - 100))|" \
      -e "s|@CERTIFICATE@|$work/certificate.pem|; s|@KEY@|$work/key.pem|" \
      "$peers_folder/nchan.conf" >"$work/nchan.conf"
    start_process "$log" nginx -c "$work/nchan.conf" -e stderr
    await_connection && return 0
    stop_server
  done
  return 1
}

# Waits until the server's port takes connections, while the server lives.
await_connection() {
  local waited
  for ((waited = 0; waited < 100; waited++)); do
    if (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return 0; fi
    kill -0 "$server_pid" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}

# start_process LOG PROGRAM [argument]...
start_process() {
  local log=$1
  shift
  : >"$log"
  "${on_server_core[@]}" "$@" >>"$log" 2>&1 </dev/null &
  server_pid=$!
}

# start_parley plain|tls LOG
start_parley() {
  local transport=$1 log=$2 tls=()
  [ "$transport" = plain ] || tls=(--tls-listen 127.0.0.1:0
    --tls-certificate "$work/certificate.pem" --tls-private-key "$work/key.pem")
  rm -rf "$work/data"
  start_process "$log" "$parleyd" --listen 127.0.0.1:0 --data-dir "$work/data" --reactors 1 \
    --unfurl-mode off --limits-flood-messages 0 --limits-user-flood-messages 0 --limits-throttle-messages 0 "${tls[@]}"
  await_port "$transport" "$log" "$server_pid"
}

# start_peer SERVER plain|tls: a server that has done nothing yet; sets server_pid and port.
start_peer() {
  local server=$1 transport=$2 log=$work/server.log files=()
  [ "$transport" = plain ] || files=("$work/certificate.pem" "$work/key.pem")
  case $server in
    parley | ephemeral | upgrade) start_parley "$transport" "$log" ;;
    nchan) start_nchan "$transport" "$log" ;;
    ws) start_announced "$log" node "$peers_folder/ws-server.js" "${files[@]}" ;;
    websockets)
      start_announced "$log" "$peers_python" "$peers_folder/websockets_server.py" "${files[@]}"
      ;;
    bare) start_announced "$log" "$work/bare-loop" ${files:+--tls} "${files[@]}" ;;
    gather) start_announced "$log" "$work/bare-loop" --gather ${files:+--tls} "${files[@]}" ;;
  esac
}

# start_announced LOG PROGRAM [argument]...: one that has one listener, prints where, and does not
# say what it speaks.
start_announced() {
  start_process "$@"
  await_port plain "$1" "$server_pid"
}

# What the load client must know of a server.
client_options() {
  case $1 in
    parley) echo --dialect parley ;;
    ephemeral) echo --dialect parley --ephemeral yes ;;
    upgrade) echo --dialect raw ;;
    nchan | websockets) echo --dialect raw --path /subscribe --publisher-path /publish ;;
    ws | bare | gather) echo --dialect raw ;;
  esac
}
