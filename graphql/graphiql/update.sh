#!/bin/sh
# Makes the files in assets/ again from the packages that are pinned below.
#
#   ./update.sh          writes them
#   ./update.sh --check  fails if they differ from what the packages hold
#
# Needs npm, sha256sum and gzip. To take a newer version, change its line and the sum that a first
# run complains about.
set -eu

cd "$(dirname "$0")"
target=$PWD/assets
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/new"

# fetch NAME@VERSION SHA256 - unpacks one package into $work/package
fetch() {
	rm -rf "$work/package"
	archive=$(cd "$work" && npm pack --silent "$1")
	echo "$2  $work/$archive" | sha256sum --check --quiet
	tar -xzf "$work/$archive" -C "$work"
}

# take FILE NAME - keeps one script or style sheet, compressed
take() {
	grep -v '^//# sourceMappingURL=' "$work/package/$1" >"$work/new/$2" # the map is not served
	gzip -9 -n "$work/new/$2"
}

# licence NAME - keeps the package's licence as it is
licence() {
	cp "$work/package/LICENSE" "$work/new/$1"
	chmod 644 "$work/new/$1"
}

fetch react@18.3.1 8d9bed01a672e7eaf387942d781ad47c6a43089a30a0306060f9fd5ac7870347
take umd/react.production.min.js react.js
licence react.LICENSE.txt
fetch react-dom@18.3.1 031d4427a99f2f3f6cac18bbbf308594a67e4f47d10f4896fdec446505b040e0
take umd/react-dom.production.min.js react-dom.js
fetch graphiql@3.9.0 d955c99ae100ed5facb45f4f94d1a8c0a156f81106434f0e35b0dcb0be574f27
take graphiql.min.js graphiql.js
take graphiql.min.css graphiql.css
licence graphiql.LICENSE.txt

if [ "${1:-}" = --check ]; then
	for file in "$work"/new/*; do
		name=$(basename "$file")
		if [ "$(gzip -dcf "$file" | sha256sum)" != "$(gzip -dcf "$target/$name" | sha256sum)" ]; then
			echo "$name is not what the packages hold: run $0" >&2
			exit 1
		fi
	done
	[ "$(ls "$work/new")" = "$(ls "$target")" ] || { echo "assets/ has other files: run $0" >&2; exit 1; }
	exit 0
fi
rm -rf "$target"
mv "$work/new" "$target"
