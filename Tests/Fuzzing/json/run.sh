#!/bin/sh
# Builds the JSON fuzzer with the address sanitizer and runs it on a copy of the corpus.
# Arguments go to libFuzzer, for instance -max_total_time=60.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
work=${FUZZ_DIRECTORY:-$root/.build/fuzzing/json}
mkdir -p "$work/corpus"
cp "$here"/corpus/* "$work/corpus/"
# shellcheck disable=SC2046
swiftc -parse-as-library -sanitize=fuzzer,address -O -g -swift-version 6 \
  -package-name parley -module-name JSONFuzzer -o "$work/fuzzer" \
  $(find "$root/Sources/ParleyProtocol" -name '*.swift') "$here/JSONFuzzer.swift"
cd "$work"
SWIFT_BACKTRACE=enable=no exec ./fuzzer -max_len=4096 "$@" corpus
