package page

import (
	"io/fs"
	"net/http"
	"strings"

	"storefront/prepared"
	"storefront/server/admin/print"
	"storefront/server/design"
)

// styleSheets are the parts of style.css after the tokens, in the order of the cascade.
var styleSheets = []string{
	"base", "buttons", "cards", "banners", "forms", "dialogs", "frame", "views", "settings",
	"goods", "orders", "site", "widths", "analytics", "print",
}

// files are the page's scripts and style sheets, its icons, and the style sheets of documents.
type files struct{ *prepared.Modules }

func newFiles() (*files, error) {
	style, err := prepared.StyleSheet(design.Light, pageFiles, styleSheets...)
	if err != nil {
		return nil, err
	}
	f, err := prepared.NewModules(FilesPath, map[string][]byte{
		"style.css": style, "dark.css": []byte(design.Dark),
	}, pageFiles)
	if err != nil {
		return nil, err
	}
	for name, media := range map[string]string{
		"icon/icon.svg": "image/svg+xml", "icon/icon-192.png": "image/png",
		"icon/icon-512.png": "image/png",
	} {
		content, err := fs.ReadFile(pageFiles, name)
		if err != nil {
			return nil, err
		}
		f.Add(name, media, content)
	}
	styles, err := print.NewStyles()
	for name, content := range styles {
		f.Add(name, "text/css; charset=utf-8", content)
	}
	return &files{f}, err
}

func (f *files) serve(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, f.Base)
	// The service worker of an earlier version may show an icon: all versions have the same icons.
	if _, icon, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, FilesPath), "/icon/"); ok {
		name = "icon/" + icon
	}
	f.Serve(w, r, name)
}
