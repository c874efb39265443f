#!/usr/bin/env bash
# Download the files of this folder from npm by name and version, and compare them with SHA256SUMS.
# `fetch.sh --update` writes SHA256SUMS instead, after a version below was raised: look at what changed.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

licence() { # package, words for its heading
    printf '%s\n%s\n\n' "$2" "${2//?/-}"
    sed -e 's/\r$//' -e '$a\' "$work/$1/LICENSE"
    printf '\n'
}

unpack() { # package@version, folder
    mkdir "$work/$2"
    tar -xzf "$work/$(cd "$work" && npm pack --silent "$1")" -C "$work/$2" --strip-components=1
}

unpack tabulator-tables@6.5.3 tabulator
unpack d3@7.9.0 d3
unpack @observablehq/plot@0.6.17 plot
unpack interval-tree-1d@1.0.4 interval-tree # the last three are inside plot.umd.min.js
unpack binary-search-bounds@2.0.5 bounds
unpack isoformat@0.2.1 isoformat

cp "$work/tabulator/dist/js/tabulator.min.js" "$work/tabulator/dist/css/tabulator_simple.min.css" .
cp "$work/d3/dist/d3.min.js" "$work/plot/dist/plot.umd.min.js" .
{
    licence tabulator "Tabulator 6.5.3"
    licence d3 "D3 7.9.0"
    licence plot "Observable Plot 0.6.17"
    licence interval-tree "interval-tree-1d 1.0.4, part of Observable Plot"
    licence bounds "binary-search-bounds 2.0.5, part of Observable Plot"
    licence isoformat "isoformat 0.2.1, part of Observable Plot"
} >LICENSES.txt
chmod 644 ./*.js ./*.css LICENSES.txt

if [[ ${1:-} == --update ]]; then
    sha256sum ./*.js ./*.css LICENSES.txt >SHA256SUMS
else
    sha256sum --check SHA256SUMS
fi
