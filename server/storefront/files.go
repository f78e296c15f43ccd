package storefront

import (
	"embed"
	"io/fs"

	"storefront/prepared"
	"storefront/server/design"
)

//go:embed page
var pageFiles embed.FS

func newFiles() (*prepared.Modules, error) {
	source, err := fs.Sub(pageFiles, "page")
	if err != nil {
		return nil, err
	}
	tokens := design.Light + "@media (prefers-color-scheme: dark) {\n" + design.Dark + "}\n"
	style, err := prepared.StyleSheet(tokens, source, "base", "parts", "views", "print")
	if err != nil {
		return nil, err
	}
	return prepared.NewModules(FilesPath, map[string][]byte{"style.css": style}, source)
}
