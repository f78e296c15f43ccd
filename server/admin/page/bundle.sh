#!/bin/sh
# Writes dist/: the page as releases have it, bundled and minified by esbuild. Build with -tags bundled
# to embed it. Each view that is loaded later imports what the first visit loads, which esbuild therefore
# has in one file: with a round trip of 300 ms, many small files would cost more than they save.
set -eu
cd "$(dirname "$0")"
rm -rf dist
source=dist/source # always the same path, on which the names of the files depend
trap 'rm -rf "$source"' EXIT
mkdir -p "$source"
cp -r js "$source"
# esbuild leaves templates as they are: this removes their indentation, and line breaks that htm drops.
# Nothing else has lines that begin or end so.
find "$source/js" -name vendor -prune -o -name '*.js' -exec sed -i 's/^ *//' {} + \
  -exec sed -i -z -E 's/([>`}])\n([<`$])/\1\2/g' {} +
grep -rhoE "import\('[^']+'\)" js/main.js js/part js/strings js/view | grep -oE '[a-z_]+/[a-z_]+\.js' | sort -u | while read -r later; do
  sed -i "1i import '../main.js'" "$source/js/$later"
done
go tool esbuild "$source/js/main.js" "$source/js/early.js" "$source/js/theme.js" --bundle --splitting --format=esm --minify \
  --charset=utf8 --target=es2022 --log-level=warning --outdir=dist/js
go tool esbuild style/*.css --minify --charset=utf8 --target=chrome111,firefox128,safari16.4 --log-level=warning --outdir=dist/style
cp -r index.html icon dist/
go tool esbuild worker.js --minify --charset=utf8 --target=es2022 --log-level=warning --outdir=dist
