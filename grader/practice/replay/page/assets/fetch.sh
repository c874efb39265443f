#!/usr/bin/env bash
# Download the files of this folder from npm by name and version, and compare them with SHA256SUMS.
cd "$(dirname "$0")"
source ../../../../base/page/npm.sh

unpack @dagrejs/dagre@3.1.3 dagre
unpack @dagrejs/graphlib@4.0.6 graphlib # inside dagre.min.js

cp "$work/dagre/dist/dagre.min.js" .
{
    licence dagre "dagre 3.1.3"
    licence graphlib "graphlib 4.0.6, part of dagre"
} >LICENSES.txt
settle "$@"
