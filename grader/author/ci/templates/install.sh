#!/usr/bin/env bash
# Install the grader that lies beside this file: install.sh FOLDER [oracle]
# All other packages have the versions and the hashes of hashes.txt.
# With "oracle", install PyTorch too, in the version of constraints.txt. It is needed for numbers from
# a secret seed. The folder becomes a virtual environment; FOLDER/bin/grade is the command.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="$1"
[[ "$target" == /* ]] || target="$PWD/$target"
# A learner's checkout may be the current folder. Python must not import a module such as venv.py from it.
cd /

# PyTorch's index of builds for CPUs, which are small. Set it to nothing to take pip's own index.
TORCH_INDEX="${TORCH_INDEX-https://download.pytorch.org/whl/cpu}"

if [[ ! -x "$target/bin/python" ]]; then
    python="${PYTHON:-python3}"
    if ! "$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        echo "install.sh: $("$python" --version) is too old: take Python 3.11 or newer, or name one in PYTHON" >&2
        exit 1
    fi
    "$python" -I -m venv "$target"
fi
install=("$target/bin/python" -I -m pip install --quiet --disable-pip-version-check)
wheel="$(ls "$here"/backward_grader-*.whl)"
"${install[@]}" --require-hashes -r "$here/hashes.txt"
"${install[@]}" --no-deps "$wheel" # pip takes no hash of a file on the disk
if [[ "${2:-}" == oracle ]]; then
    # the index of builds for CPUs has files with other hashes
    install+=(-c "$here/constraints.txt")
    "${install[@]}" --no-deps ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch
    "${install[@]}" "${wheel}[oracle]"
fi
