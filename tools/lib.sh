# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What the scripts in tools/ share. Sourced, never run.

# Tools may be called from any directory; the work happens at the top.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$top/build

# The checks of style, in the order in which tools/check-style runs them.
# shellcheck disable=SC2034 # used by the scripts that source this file
style_checks=(format text sizes includes shell)

say() {
  printf '%s\n' "$*"
}

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# read_lines ARRAY COMMAND...: what the command prints, line by line; fails with it.
# (bash's <(...) hides the failure, and needs /proc, which a bare chroot lacks.)
read_lines() {
  local -n array=$1
  local text
  shift
  text=$("$@") || return
  array=()
  [[ ! $text ]] || mapfile -t array <<<"$text"
}

# c_files, shell_files: paths below the current directory, build directories left out.
c_files() {
  find . -path './build*' -prune -o -path ./.git -prune -o -name '*.c' -print | sort
}

shell_files() {
  find . -path './build*' -prune -o -path ./.git -prune -o -type f -print0 |
    xargs -0 awk 'FNR == 1 && /^#!.*sh$/ { print FILENAME } { nextfile }' | sort
}

# Whether build/ is a build of this checkout: one that was copied or moved with its
# checkout would silently build the other.
configured() {
  [[ -f $build/build.ninja ]] &&
    grep -qsF "\"build\": \"$build\"" "$build/meson-info/meson-info.json"
}

# Root's build is in the way of a user who builds in the same checkout.
check_build_is_ours() {
  if [[ -e $build && ! -w $build ]]; then
    fail "build/ belongs to $(stat -c %U "$build"), and you may not write to it: remove it, or run this as $(stat -c %U "$build")."
  fi
}

# configure MESON-OPTION...: makes build/ or brings it up to date with the options.
configure() {
  local again=()
  check_build_is_ours
  if configured; then
    again=(--reconfigure)
  else
    rm -rf "$build"
    mkdir "$build"
  fi
  if ! meson setup "${again[@]}" "$build" "$top" "$@" >"$build/setup.log" 2>&1; then
    cat "$build/setup.log" >&2
    fail "meson could not configure build/; its reason stands above."
  fi
}

# compile NINJA-TARGET...: quiet when all is well, the compiler's words otherwise.
compile() {
  check_build_is_ours
  if ! ninja -C "$build" "$@" >"$build/compile.log" 2>&1; then
    grep -v '^\[[0-9]*/[0-9]*\]' "$build/compile.log" >&2 || true
    fail "the build failed; the compiler's reason stands above."
  fi
}
