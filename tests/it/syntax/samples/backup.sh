#!/usr/bin/env bash
# Copies folders to dated archives and removes old ones.
set -euo pipefail

readonly KEEP=7
readonly TARGET="${BACKUP_TARGET:-/srv/backup}"
declare -A SOURCES=([home]=/home [config]=/etc)
verbose=0

# Prints a message with the time.
log() {
    printf '%s %s\n' "$(date +%H:%M:%S)" "$*" >&2
}

# Ends the script with an error.
fail() {
    log "error: $*"
    exit 1
}

usage() {
    cat <<'END'
usage: backup.sh [-v] [NAME...]
  -v  print each file
END
}

# Returns 0 if a command exists.
has() { command -v "$1" >/dev/null 2>&1; }

archive_of() {
    local name=$1
    echo "$TARGET/$name-$(date +%F).tar.zst"
}

archive() {
    local name=$1 source=${SOURCES[$1]:-}
    [[ -n $source ]] || fail "unknown name: $name"
    local options=(--create --zstd)
    if ((verbose)); then
        options+=(--verbose)
    fi
    tar "${options[@]}" --file "$(archive_of "$name").part" --directory "$source" .
    mv "$(archive_of "$name").part" "$(archive_of "$name")"
}

prune() {
    local name=$1
    local -a old
    mapfile -t old < <(ls -1t "$TARGET/$name"-*.tar.zst | tail -n +$((KEEP + 1)))
    for file in "${old[@]}"; do
        log "removing ${file##*/}"
        rm -f -- "$file"
    done
}

function check_space {
    local free
    free=$(df --output=avail "$TARGET" | tail -n 1)
    case $free in
        '' | *[!0-9]*) fail "cannot read the free space" ;;
        *) ((free > 1048576)) || fail "less than 1 GB is free" ;;
    esac
}

main() {
    while getopts 'vh' option; do
        case $option in
            v) verbose=1 ;;
            h) usage && exit 0 ;;
            *) usage >&2 && exit 2 ;;
        esac
    done
    shift $((OPTIND - 1))
    has tar || fail "tar is required"
    check_space
    local names=("${@:-${!SOURCES[@]}}")
    for name in "${names[@]}"; do
        archive "$name" && prune "$name"
    done
}

main "$@"
