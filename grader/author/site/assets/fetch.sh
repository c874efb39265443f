#!/usr/bin/env bash
# Download the packages of the editor from npm by name and version, bundle them with editor.js, and compare the result
# with SHA256SUMS.
cd "$(dirname "$0")"
source ../../../base/page/npm.sh

packages=(
    @codemirror/commands@6.11.1 @codemirror/lang-python@6.2.1 @codemirror/language@6.13.1 @codemirror/merge@6.12.3 @codemirror/search@6.7.2
    @codemirror/state@6.7.6 @codemirror/view@6.43.15 @lezer/common@1.5.5 @lezer/highlight@1.2.5 @lezer/lr@1.4.12
    @lezer/python@1.1.19 @codemirror/autocomplete@6.20.4 style-mod@4.1.4 w3c-keyname@2.2.8 crelt@1.0.7 @marijn/find-cluster-break@1.0.4
)
npm install --silent --no-save --prefix "$work" esbuild@0.28.2 "${packages[@]}"
cp editor.js "$work/"
"$work/node_modules/.bin/esbuild" "$work/editor.js" --bundle --minify --format=iife --global-name=Editor \
    --target=es2022 --legal-comments=none --charset=utf8 --outfile=editor.min.js --log-level=warning
for package in "${packages[@]}"; do
    name=${package%@*}
    licence "node_modules/$name" "${name} ${package##*@}, part of editor.min.js"
done >LICENSES.txt
settle "$@"
