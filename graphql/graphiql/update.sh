#!/bin/sh
# Rebuilds assets/ from npm packages: see prepared/packages.sh.
set -eu
cd "$(dirname "$0")"
. ../../prepared/packages.sh

fetch react@18.3.1 8d9bed01a672e7eaf387942d781ad47c6a43089a30a0306060f9fd5ac7870347
add umd/react.production.min.js react.js
licence LICENSE react.LICENSE.txt
fetch react-dom@18.3.1 031d4427a99f2f3f6cac18bbbf308594a67e4f47d10f4896fdec446505b040e0
add umd/react-dom.production.min.js react-dom.js
fetch graphiql@3.9.0 d955c99ae100ed5facb45f4f94d1a8c0a156f81106434f0e35b0dcb0be574f27
add graphiql.min.js graphiql.js
add graphiql.min.css graphiql.css
licence LICENSE graphiql.LICENSE.txt

finish "$@"
