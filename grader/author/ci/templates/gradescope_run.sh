#!/usr/bin/env bash
# Gradescope runs this as root for each submission. Where it fails, no results are written, and Gradescope says so.
set -euo pipefail
root="${AUTOGRADER:-/autograder}"
export BACKWARD_CACHE="$root/backward/cache"

cd "$root/source"
exec "$root/backward/bin/grade" --official --from "$root/submission" --course "@COURSE@" --exit-zero \
    --format gradescope="$root/results/results.json" --report "$root/backward/report.json"
