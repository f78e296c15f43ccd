#!/bin/sh
# Rebuilds assets/ from npm packages: see prepared/packages.sh.
set -eu
cd "$(dirname "$0")"
. ../../prepared/packages.sh

fetch swagger-ui-dist@5.35.0 1b8e891893404ea4c3558b6a87e2a3e494e7eedba41168c2ece5800a391a6ea6
add swagger-ui-bundle.js swagger-ui.js
add swagger-ui.css swagger-ui.css
licence LICENSE swagger-ui.LICENSE.txt
licence NOTICE swagger-ui.NOTICE.txt
licence swagger-ui-bundle.js.LICENSE.txt swagger-ui.js.LICENSE.txt

finish "$@"
