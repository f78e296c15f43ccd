# Rebuilds the vendored files of a page, or a list, from npm packages. Its update.sh, which pins the
# packages, changes to its own folder and sources this file:
#
#   ./update.sh          writes assets/
#   ./update.sh --check  fails if assets/ differs from the packages
#
# Needs npm, sha256sum and gzip. To upgrade a package, change its version and its SHA-256 in
# update.sh.

target=$PWD/assets # unless update.sh sets another
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

# module FILE NAME [PACKAGE=NAME...] - adds one ES module, uncompressed. Its imports of those packages
# become relative ones, since browsers find no packages by name.
module() {
	grep -v '^//# sourceMappingURL=' "$work/package/$1" >"$work/new/$2"
	file=$2
	shift 2
	for import in "$@"; do
		sed -i "s|from\"${import%=*}\"|from\"./${import#*=}\"|g" "$work/new/$file"
	done
}

# licence FILE NAME - adds a licence, uncompressed
licence() {
	cp "$work/package/$1" "$work/new/$2"
	chmod 644 "$work/new/$2"
}

# finish [--check] - replaces the target with the added files, or compares the two
finish() {
	if [ "${1:-}" = --check ]; then
		for file in "$work"/new/*; do
			name=$(basename "$file")
			if [ "$(gzip -dcf "$file" | sha256sum)" != "$(gzip -dcf "$target/$name" | sha256sum)" ]; then
				echo "$name differs from its package: run update.sh in $PWD" >&2
				exit 1
			fi
		done
		if [ "$(ls "$work/new")" != "$(ls "$target")" ]; then
			echo "$(basename "$target")/ has other files than the packages: run update.sh in $PWD" >&2
			exit 1
		fi
		return
	fi
	rm -rf "$target"
	mv "$work/new" "$target"
}
