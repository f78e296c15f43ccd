//go:build bundled

package page

import (
	"embed"
	"io/fs"
)

//go:embed dist
var distFiles embed.FS

var pageFiles = func() fs.FS {
	files, err := fs.Sub(distFiles, "dist")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}()

// Bundled reports whether the files are the output of bundle.sh.
const Bundled = true
