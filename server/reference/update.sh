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
	grep -v '^/[/*]# sourceMappingURL=' "$work/package/$1" >"$work/new/$2" # the map is not served
	gzip -9 -n "$work/new/$2"
}

# licence FILE NAME - keeps a licence as it is
licence() {
	cp "$work/package/$1" "$work/new/$2"
	chmod 644 "$work/new/$2"
}

fetch swagger-ui-dist@5.35.0 1b8e891893404ea4c3558b6a87e2a3e494e7eedba41168c2ece5800a391a6ea6
take swagger-ui-bundle.js swagger-ui.js
take swagger-ui.css swagger-ui.css
licence LICENSE swagger-ui.LICENSE.txt
licence NOTICE swagger-ui.NOTICE.txt
licence swagger-ui-bundle.js.LICENSE.txt swagger-ui.js.LICENSE.txt

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
