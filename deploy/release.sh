#!/usr/bin/env bash
# Builds a release: a binary for each system, its software bill of materials (SBOM) and SHA256SUMS.
#
#   deploy/release.sh DIR [TAG-OR-COMMIT [OS/ARCH...]]
#
# It builds from a fresh clone, so uncommitted changes are not included. The build is reproducible: the
# same commit and Go version produce the same bytes on every machine and in every directory.
#
# govulncheck must find no known vulnerability in the code that the program calls. With VULNCHECK=report
# its findings, or a database of vulnerabilities that cannot be reached, are a warning only. VULNCHECK=skip
# omits the check: for a build that is not published.
set -euo pipefail

[ $# -ge 1 ] || { echo "usage: $0 DIR [TAG-OR-COMMIT [OS/ARCH...]]" >&2; exit 2; }
repository=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
target=$(cd "$1" && pwd)
[ -z "$(ls "$target")" ] || { echo "$target is not empty: choose a new directory" >&2; exit 1; }
commit=$(git -C "$repository" rev-parse --verify "${2:-HEAD}^{commit}")
systems=("${@:3}")
[ ${#systems[@]} -gt 0 ] || systems=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet --no-checkout "$repository" "$work/storefront"
cd "$work/storefront"
git -c advice.detachedHead=false checkout --quiet "$commit"

# These settings affect the bytes, so they must not come from the caller's environment.
export CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT='' GOFIPS140=off LC_ALL=C
export GOFLAGS='-trimpath -buildvcs=true -mod=readonly'

# The npm packages embedded in the binary, from the scripts that fetch them.
npm=$(cat graphql/graphiql/update.sh server/reference/update.sh \
	server/admin/page/update.sh shop/password/update.sh | sed -n 's/^fetch \([^ ]*\) [0-9a-f]*$/\1/p')

if [ "${VULNCHECK:-}" = skip ]; then
	echo "WARNING: VULNCHECK=skip: this build has NOT been checked for known vulnerabilities." >&2
elif ! timeout 600 go tool govulncheck -tags s3 . >"$work/vulnerabilities" 2>&1; then
	cat "$work/vulnerabilities" >&2
	echo "govulncheck found a vulnerability, or could not reach its database (https://vuln.go.dev)." >&2
	if [ "${VULNCHECK:-}" != report ]; then
		echo "Update the dependency or Go, or set VULNCHECK=report to build a release that has not been checked." >&2
		exit 1
	fi
	echo "WARNING: VULNCHECK=report: this release has NOT been checked for known vulnerabilities." >&2
fi

sh server/admin/page/bundle.sh
go build -o "$work/sbom" ./deploy/sbom
for system in "${systems[@]}"; do
	export GOOS=${system%/*} GOARCH=${system#*/}
	go build -tags s3,bundled -ldflags='-s -w' -o "$work/binary" .
	version=$(go version -m "$work/binary" | awk '$1 == "mod" { print $3 }')
	name=storefront_${version}_${GOOS}_$GOARCH
	suffix=
	[ "$GOOS" != windows ] || suffix=.exe
	install -m 755 "$work/binary" "$target/$name$suffix"
	# shellcheck disable=SC2086 # one argument per package
	"$work/sbom" "$target/$name$suffix" $npm >"$target/$name.cdx.json"
done
cd "$target"
sha256sum -- storefront_* >SHA256SUMS
