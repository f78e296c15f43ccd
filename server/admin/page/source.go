//go:build !bundled

package page

import "embed"

//go:embed index.html worker.js icon/* js/*.js js/*/*.js style/*.css
var pageFiles embed.FS

// Bundled reports whether the files are the output of bundle.sh.
const Bundled = false
