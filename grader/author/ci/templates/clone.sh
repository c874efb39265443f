#!/usr/bin/env bash
# Clone or update each repository of a list: clone.sh LIST FOLDER. A folder in FOLDER is named after its line's name.
# CLONE_TOKEN, where it is set, is a token that may read the repositories; git sends it to the addresses in the list.
set -euo pipefail
list="$1" folder="$2"
mkdir -p "$folder"

# no prompt, no hook, no filter and no submodule of anybody's; the token is in no file and on no command line
export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_LFS_SKIP_SMUDGE=1
settings=(-c core.hooksPath=/dev/null -c core.symlinks=false -c protocol.ext.allow=never -c submodule.recurse=false
    -c http.followRedirects=false)
if [[ -n "${CLONE_TOKEN:-}" ]]; then
    export CLONE_TOKEN
    settings+=(-c 'credential.helper=!f() { echo username=x-access-token; echo "password=$CLONE_TOKEN"; }; f')
fi

failed=0
while read -r name address; do
    [[ -z "$name" || "$name" == \#* ]] && continue
    if [[ ! "$name" =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ || -z "$address" || "$address" == -* ]]; then
        echo "clone.sh: this line is not a name and an address: $name $address" >&2
        failed=1
    elif [[ -d "$folder/$name/.git" ]]; then
        git "${settings[@]}" -C "$folder/$name" fetch --quiet --depth 1 origin HEAD &&
            git "${settings[@]}" -C "$folder/$name" reset --quiet --hard FETCH_HEAD || failed=1
    else
        # a folder without a clone is left where cloning failed, so that nobody is missing in the results
        rm -rf -- "${folder:?}/$name"
        git "${settings[@]}" clone --quiet --depth 1 -- "$address" "$folder/$name" || {
            failed=1
            mkdir -p "$folder/$name"
            echo "# clone.sh: $address could not be cloned" >"$folder/$name/NOT_CLONED.py"
        }
    fi
done <"$list"
exit "$failed"
