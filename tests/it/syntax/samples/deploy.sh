#!/usr/bin/env bash
# Deploys the project.
set -euo pipefail

readonly ROOT=/srv/app
TARGET=${1:-staging}
export PATH="$ROOT/bin:$PATH"

# Prints a message.
log() {
    local level=$1
    printf '%s: %s\n' "$level" "$2" >&2
}

function cleanup {
    rm -rf "$TMP"
}

build() (
    cd "$ROOT"
    make "$TARGET"
)

main() {
    trap cleanup EXIT
    TMP=$(mktemp -d)

    cat >"$TMP/note" <<EOF
build() of $TARGET
EOF
    build && log info done
}

main "$@"
