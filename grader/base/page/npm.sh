# What the `fetch.sh` of each folder of assets does: `source npm.sh` in that folder, then call these.
# `fetch.sh --update` writes SHA256SUMS instead of comparing, after a version was raised: look at what changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

unpack() { # package@version, folder
    mkdir "$work/$2"
    tar -xzf "$work/$(cd "$work" && npm pack --silent "$1")" -C "$work/$2" --strip-components=1
}

licence() { # folder, words for its heading
    printf '%s\n%s\n\n' "$2" "${2//?/-}"
    sed -e 's/\r$//' -e '$a\' "$work/$1/LICENSE"
    printf '\n'
}

settle() { # the argument of fetch.sh
    local files=()
    for file in *; do
        [[ $file == fetch.sh || $file == SHA256SUMS ]] || files+=("./$file")
    done
    chmod 644 "${files[@]}"
    if [[ ${1:-} == --update ]]; then
        sha256sum "${files[@]}" >SHA256SUMS
    else
        sha256sum --check SHA256SUMS
    fi
}
