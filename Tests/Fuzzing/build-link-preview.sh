#!/bin/sh
# Builds the fuzzers of the link preview core into a directory (default: .build/fuzzing).
#
#   Tests/Fuzzing/build-link-preview.sh && SWIFT_BACKTRACE=enable=no \
#     .build/fuzzing/extractor -max_total_time=60 Tests/Fuzzing/extractor/corpus
set -eu
cd "$(dirname "$0")/../.."
out=${1:-.build/fuzzing}
mkdir -p "$out"
flags="-swift-version 6 -package-name parley -O -sanitize=fuzzer,address -parse-as-library
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
  -enable-upcoming-feature MemberImportVisibility -I $out -I $out/CDomainNames"

mkdir -p "$out/CDomainNames"
cp Sources/CDomainNames/include/CDomainNames.h "$out/CDomainNames"
echo 'module CDomainNames { header "CDomainNames.h" export * }' > "$out/CDomainNames/module.modulemap"
clang -fsanitize=address -g -O1 -c -ISources/CDomainNames/include \
  Sources/CDomainNames/CDomainNames.c -o "$out/CDomainNames.o"

library() {
  name=$1
  shift
  swiftc $flags -emit-module -emit-object -wmo -module-name "$name" "$@" \
    -emit-module-path "$out/$name.swiftmodule" -o "$out/$name.o"
}

library ParleyProtocol Sources/ParleyProtocol/Resources/OpenGraphTag.swift
library LinkPreview $(find Sources/LinkPreview -name '*.swift')
for fuzzer in extractor linkfinder; do
  swiftc $flags Tests/Fuzzing/$fuzzer/*.swift "$out/LinkPreview.o" "$out/ParleyProtocol.o" \
    "$out/CDomainNames.o" -lpsl -lidn2 -o "$out/$fuzzer"
done
