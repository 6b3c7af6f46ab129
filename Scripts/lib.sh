# Functions that the scripts in this directory share. Sourced, never run. POSIX shell.
# shellcheck shell=sh

# Exit status of every script: 0 success, 1 tests or checks failed, 2 wrong usage, 3 a dependency is missing.

packages="libkyotocabinet-dev zlib1g-dev libzstd-dev libssl-dev libxxhash-dev libre2-dev libstemmer-dev libarchive-dev rapidjson-dev libcsv-dev libsqlite3-dev libtokyocabinet-dev kyotocabinet-utils python3-cryptography python3-icu unicode-data pkg-config"

say() {
  printf '%s\n' "$*" >&2
}

stop() {
  status=$1
  shift
  say "$(basename "$0"): $*"
  exit "$status"
}

# Tests whether a Debian package is installed. pkgconf also provides pkg-config.
is_installed() {
  if [ "$1" = pkg-config ]; then
    command -v pkg-config >/dev/null 2>&1
  else
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
  fi
}

missing_packages() {
  missing=""
  for package in $packages; do
    is_installed "$package" || missing="$missing $package"
  done
  printf '%s' "${missing# }"
}

# Runs a command as root, directly or through sudo. Fails if neither is possible.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null 2>&1; then
    # Without a terminal, sudo must not ask for a password.
    if [ -t 0 ]; then
      sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
      sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    fi
  else
    return 1
  fi
}

install_packages() {
  command -v dpkg-query >/dev/null 2>&1 || {
    say "This is not Debian or Ubuntu: install these packages yourself, by their Debian names: $packages"
    return 0
  }
  missing=$(missing_packages)
  if [ -z "$missing" ]; then
    say "All Debian packages are installed."
    return 0
  fi
  say "Installing: $missing"
  # On a fresh machine, apt does not know the packages yet. Without this, it would print an error for each.
  # The list of packages must be split into words.
  # shellcheck disable=SC2086
  if [ "$(apt-cache policy $missing 2>/dev/null | grep -c 'Candidate: [^(]')" -lt "$(printf '%s\n' $missing | wc -l)" ]; then
    as_root apt-get update </dev/null >&2 || true
  fi
  # shellcheck disable=SC2086
  if ! as_root apt-get install -y --no-install-recommends $missing </dev/null >&2; then
    as_root apt-get update </dev/null >&2 || true
    as_root apt-get install -y --no-install-recommends $missing </dev/null >&2 || true
  fi
  missing=$(missing_packages)
  [ -z "$missing" ] || stop 3 "cannot install $missing. Run as root: apt-get install $missing"
}

check_swift() {
  command -v swift >/dev/null 2>&1 || stop 3 "swift was not found. Install Swift 6.3 or later: https://swift.org/install"
  # The compiler fails if a library of the system that it needs is missing.
  printed=$(swift --version 2>&1) || stop 3 "swift does not run: $(printf '%s' "$printed" | head -n 3)"
  version=$(printf '%s\n' "$printed" | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
  major=${version%%.*}
  minor=${version#*.}
  if [ -z "$version" ] || [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 3 ]; }; then
    stop 3 "Swift ${version:-of an unknown version} is installed, but 6.3 or later is needed: https://swift.org/install"
  fi
  say "Swift $version is installed."
}

# Prepares a build: installs missing packages and checks the compiler.
set_up() {
  install_packages
  check_swift
}
