# Functions for scripts that take tools from Debian. To be sourced.

# debian PACKAGE...: installs packages on this machine.
debian() {
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "Please install: $*"
        return 1
    fi
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >/dev/null
}

# Prints the Debian mirror of this machine.
mirror() {
    apt-get indextargets --format '$(REPO_URI) $(COMPONENT)' 'Created-By: Packages' |
        awk '$2 == "main" && $1 !~ /security/ { print $1; exit }'
}

# unpacked FOLDER SUITE PACKAGE...: unpacks packages of that release and their dependencies into a folder.
unpacked() {
    local into=$1 suite=$2 apt=$1/.apt file
    shift 2
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) $suite main" >"$apt/sources.list"
    local options=(
        -qq
        -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
        -o "Dir::State=$apt" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
        -o APT::Install-Recommends=false -o APT::Sandbox::User=root
        -o Acquire::Retries=3
    )
    apt-get "${options[@]}" update
    apt-get "${options[@]}" -y --download-only install "$@" >/dev/null
    for file in "$apt"/cache/archives/*.deb; do
        dpkg -x "$file" "$into"
    done
    rm -rf "$apt"
}
