# How the files of others in a page are made again from the packages of npm that are pinned in the
# page's update.sh, which sources this file in its own folder:
#
#   ./update.sh          writes them
#   ./update.sh --check  fails if they differ from what the packages hold
#
# Needs npm, sha256sum and gzip. To take a newer version, change its line and the sum that a first
# run complains about.

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

# finish [--check] - puts what was kept in place of assets/, or compares the two
finish() {
	if [ "${1:-}" = --check ]; then
		for file in "$work"/new/*; do
			name=$(basename "$file")
			if [ "$(gzip -dcf "$file" | sha256sum)" != "$(gzip -dcf "$target/$name" | sha256sum)" ]; then
				echo "$name is not what the packages hold: run update.sh in $PWD" >&2
				exit 1
			fi
		done
		[ "$(ls "$work/new")" = "$(ls "$target")" ] || { echo "assets/ has other files: run update.sh in $PWD" >&2; exit 1; }
		return
	fi
	rm -rf "$target"
	mv "$work/new" "$target"
}
