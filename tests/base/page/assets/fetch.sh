#!/usr/bin/env bash
# Download the files of this folder from npm by name and version, and compare them with SHA256SUMS.
cd "$(dirname "$0")"
source ../../../../grader/base/page/npm.sh

unpack axe-core@4.14.1 axe

cp "$work/axe/axe.min.js" .
licence axe "axe-core 4.14.1" >LICENSES.txt
settle "$@"
