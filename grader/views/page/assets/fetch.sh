#!/usr/bin/env bash
# Download the files of this folder from npm by name and version, and compare them with SHA256SUMS.
cd "$(dirname "$0")"
source ../../offline/npm.sh

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
settle "$@"
