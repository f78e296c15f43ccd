#!/bin/sh
# Rebuilds js/vendor/ from npm packages: see prepared/packages.sh. Needs Node.js for the icons.
set -eu
cd "$(dirname "$0")"
. ../../../prepared/packages.sh
target=$PWD/js/vendor

fetch preact@11.2.0 3c4456766bd32b6b534d52bf4e9c2a29b33e7eedf6e96ed479300ba1a7888ebf
module dist/preact.mjs preact.js
module hooks/dist/hooks.mjs hooks.js preact=preact.js
licence LICENSE preact.LICENSE.txt
fetch htm@3.1.1 2425b9bee11409177bcabc7f32e319926fc6690c1701c0b257c88bdff2d5ba90
module dist/htm.module.js htm.js
licence LICENSE htm.LICENSE.txt
fetch @preact/signals-core@1.14.5 94c421ac996214c94f532fb4c43d8ede048a16df0cd9538ffb965174dbe8daba
module dist/signals-core.module.js signals-core.js
licence LICENSE signals.LICENSE.txt
fetch @preact/signals@2.11.4 66ea8221dd8aaa0da2365d49c3f116b071d56cfb63b2e16c072c6b4e08a928b7
module dist/signals.module.js signals.js preact=preact.js preact/hooks=hooks.js @preact/signals-core=signals-core.js

# Charts of the Analytics screen, which alone loads it. The package's module is not minified; this is the
# same code.
fetch uplot@1.6.32 4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d
module dist/uPlot.iife.min.js uplot.js
echo 'export default uPlot' >>"$work/new/uplot.js"
licence LICENSE uplot.LICENSE.txt

# The editor of descriptions, which their forms load when they are opened.
fetch squire-rte@2.4.8 0f68632f9df91825346ab9baba4f88b28f017002967ea9ea23bcb14c4a505521
module dist/squire.mjs squire.js
licence LICENSE squire.LICENSE.txt

# The icons that the dashboard shows, as lists of SVG elements.
fetch lucide-static@1.62.0 386f9080c440d6f5049cefe3456ae8357f7a0c7f76e59670cd1cb83bc7050a44
licence LICENSE lucide.LICENSE.txt
node -e '
	const [nodes, list] = process.argv.slice(1).map((name) => require("fs").readFileSync(name, "utf8"))
	const all = JSON.parse(nodes)
	console.log("/** @type {Record<string, [string, Record<string, string>][]>} */\nexport const icons = {")
	for (const name of list.trim().split("\n")) console.log(`  ${JSON.stringify(name)}: ${JSON.stringify(all[name] ?? process.exit(1))},`)
	console.log("}")
' "$work/package/icon-nodes.json" icons.txt >"$work/new/icons.js"

# The types of the packages, for the check of types. They are found in clients/dashboard.
echo "export * from 'preact'" >"$work/new/preact.d.ts"
echo "export * from 'preact/hooks'" >"$work/new/hooks.d.ts"
echo "export { default } from 'htm'" >"$work/new/htm.d.ts"
echo "export * from '@preact/signals'" >"$work/new/signals.d.ts"
echo 'declare const Squire: any; export default Squire' >"$work/new/squire.d.ts"
echo 'declare const uPlot: any; export default uPlot' >"$work/new/uplot.d.ts"

finish "$@"
