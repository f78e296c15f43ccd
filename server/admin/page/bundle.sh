#!/bin/sh
# Writes dist/: the page as releases have it, bundled and minified by esbuild. Build with -tags bundled
# to embed it. All views are in one script: with a round trip of 300 ms a request costs more than they do.
set -eu
cd "$(dirname "$0")"
rm -rf dist
go tool esbuild js/main.js js/theme.js --bundle --format=esm --minify --charset=utf8 --target=es2022 --log-level=warning --outdir=dist/js
go tool esbuild style/*.css --minify --charset=utf8 --target=chrome111,firefox128,safari16.4 --log-level=warning --outdir=dist/style
cp -r index.html icon dist/
go tool esbuild worker.js --minify --charset=utf8 --target=es2022 --log-level=warning --outdir=dist
