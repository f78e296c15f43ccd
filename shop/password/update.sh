#!/bin/sh
# Rebuilds leaked/, the passwords that were frequent in leaks, from an npm package: see
# prepared/packages.sh. Needs node too.
set -eu
cd "$(dirname "$0")"
. ../../prepared/packages.sh
target=$PWD/leaked

fetch @zxcvbn-ts/language-common@4.1.3 bf3027c16c069d7877e25dc8751bc819e10e479afcc5ee1a323eb2ab73129ca9
{
	echo '# Passwords of eight or more characters, most frequent first, of the 49,233 most frequent ones in leaks,'
	echo '# as compiled for zxcvbn-ts: npm package @zxcvbn-ts/language-common. Its licence, MIT, is in LICENSE.txt.'
	echo '# Written by update.sh.'
	node -p 'require(process.argv[1]).filter((p) => [...p].length >= 8).join("\n")' "$work/package/src/passwords.json"
} >"$work/new/passwords.txt"
licence LICENSE.txt LICENSE.txt

finish "$@"
