#!/usr/bin/env bash
# Download the files of this folder from npm by name and version, and compare them with SHA256SUMS.
cd "$(dirname "$0")"
source ../npm.sh

unpack pako@2.1.0 pako

cp "$work/pako/dist/pako_inflate.min.js" .
licence pako "pako 2.1.0" >LICENSES.txt
settle "$@"
