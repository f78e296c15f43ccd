# Rebuilds the vendored files of a page from npm packages. The page's update.sh, which pins the
# packages, changes to its own folder and sources this file:
#
#   ./update.sh          writes assets/
#   ./update.sh --check  fails if assets/ differs from the packages
#
# Needs npm, sha256sum and gzip. To upgrade a package, change its version and its SHA-256 in
# update.sh.

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

# add FILE NAME - adds one script or style sheet, compressed
add() {
	grep -v '^/[/*]# sourceMappingURL=' "$work/package/$1" >"$work/new/$2" # the map is not served
	gzip -9 -n "$work/new/$2"
}

# licence FILE NAME - adds a licence, uncompressed
licence() {
	cp "$work/package/$1" "$work/new/$2"
	chmod 644 "$work/new/$2"
}

# finish [--check] - replaces assets/ with the added files, or compares the two
finish() {
	if [ "${1:-}" = --check ]; then
		for file in "$work"/new/*; do
			name=$(basename "$file")
			if [ "$(gzip -dcf "$file" | sha256sum)" != "$(gzip -dcf "$target/$name" | sha256sum)" ]; then
				echo "$name differs from its package: run update.sh in $PWD" >&2
				exit 1
			fi
		done
		[ "$(ls "$work/new")" = "$(ls "$target")" ] || { echo "assets/ has other files than the packages: run update.sh in $PWD" >&2; exit 1; }
		return
	fi
	rm -rf "$target"
	mv "$work/new" "$target"
}
