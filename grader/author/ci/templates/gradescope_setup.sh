#!/usr/bin/env bash
# Gradescope runs this once, as root, when the image is built; this folder is /autograder/source.
set -euo pipefail
root="${AUTOGRADER:-/autograder}"

need=()
command -v bwrap >/dev/null || need+=(bubblewrap)
python3 -I -c 'import ensurepip, venv' 2>/dev/null || need+=(python3-venv)
if ((${#need[@]})); then
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${need[@]}"
fi

bash "$root/source/install.sh" "$root/backward" oracle
# only root reads the checks; learner code runs as another user, in a sandbox
chmod -R go= "$root/source"
