#!/bin/sh
# install.sh: install agentrun from a release, below ~/.local unless AGENTRUN_PREFIX
# names another place. AGENTRUN_BASE is where the release is: a URL or a directory
# with SHA256SUMS and the archives. Nothing is installed that SHA256SUMS does not have.
#
#   AGENTRUN_BASE=https://… sh install.sh
#   AGENTRUN_BASE=./dist AGENTRUN_PREFIX=/usr/local sh install.sh
set -eu

fail() { echo "install.sh: $*" >&2; exit 1; }
base=${AGENTRUN_BASE:-}
[ -n "$base" ] || fail "set AGENTRUN_BASE to the URL or the directory of a release"
prefix=${AGENTRUN_PREFIX:-${HOME:?}/.local}

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "there is no agentrun for $(uname -s): its promise to leave no process behind is kept on Linux and macOS" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no agentrun for $(uname -m)" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# fetch NAME: a file of the release, into $work.
fetch() {
	case $base in
	*://*)
		if command -v curl >/dev/null; then
			curl -fsSL --retry 3 -o "$work/$1" "$base/$1"
		elif command -v wget >/dev/null; then
			wget -q -O "$work/$1" "$base/$1"
		else
			fail "neither curl nor wget is here"
		fi ;;
	*) cp "$base/$1" "$work/$1" ;;
	esac || fail "cannot get $base/$1"
}

fetch SHA256SUMS
archive=$(sed -n "s/^[0-9a-f]\{64\} [ *]\(agentrun_[A-Za-z0-9.+-]*_${os}_${arch}\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
case $archive in
"") fail "$base has no archive for $os/$arch" ;;
*"
"*) fail "$base has more than one archive for $os/$arch" ;;
esac
fetch "$archive"
want=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$archive\$/\1/p" "$work/SHA256SUMS")
if command -v sha256sum >/dev/null; then
	have=$(sha256sum <"$work/$archive")
else
	have=$(shasum -a 256 <"$work/$archive")
fi
[ "${have%% *}" = "$want" ] || fail "$archive is not what SHA256SUMS says: have ${have%% *}, want $want"

mkdir "$work/x"
tar -xzf "$work/$archive" -C "$work/x"
from=$work/x/${archive%.tar.gz}
"$from/agentrun" version >/dev/null || fail "the agentrun of $archive does not run here"

# place FILE DIR NAME: a file takes the place of an older one at once, or not at all.
place() {
	mkdir -p "$prefix/$2"
	cp "$1" "$prefix/$2/.$3.new"
	mv -f "$prefix/$2/.$3.new" "$prefix/$2/$3"
}
place "$from/agentrun" bin agentrun
for page in "$from"/man/man1/*; do
	place "$page" share/man/man1 "${page##*/}"
done
place "$from/completions/agentrun.bash" share/bash-completion/completions agentrun
place "$from/completions/_agentrun" share/zsh/site-functions _agentrun
place "$from/completions/agentrun.fish" share/fish/vendor_completions.d agentrun.fish

echo "$prefix/bin/agentrun: $("$prefix/bin/agentrun" version)"
case ":${PATH:-}:" in
*":$prefix/bin:"*) ;;
*) echo "put $prefix/bin into PATH to use it" ;;
esac
