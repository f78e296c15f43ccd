package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"storefront/prepared"
	"storefront/server/admin/print"
	"storefront/server/design"
)

// styleSheets are the parts of style.css after the tokens, in the order of the cascade.
var styleSheets = []string{
	"base", "buttons", "cards", "banners", "forms", "dialogs", "frame", "views", "settings", "goods", "orders", "widths", "analytics", "print",
}

// files are the page's scripts and its style sheets, each prepared once. Their URLs contain a hash
// of them all, so that browsers may cache them forever although modules import each other by
// relative paths.
type files struct {
	base      string                        // of their URLs, such as /admin/assets/0a1b2c3d4e5f6071/
	responses map[string]*prepared.Response // by path below base; style sheets of documents by their own
	imports   map[string][]string           // the static imports of a module
}

// importPattern matches a static import or export of another module, minified or not.
var importPattern = regexp.MustCompile(`(?:^|[;\n}])(?:import|export)\b[^'"();]*['"](\.[^'"]+)['"]`)

func newFiles() (*files, error) {
	f := &files{responses: map[string]*prepared.Response{}, imports: map[string][]string{}}
	sum := sha256.New()
	add := func(name, media string, content []byte) {
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(content))
		sum.Write(content)
		f.responses[name] = prepared.NewResponse("", media, content)
	}
	style := bytes.NewBufferString(design.Light)
	for _, name := range styleSheets {
		content, err := fs.ReadFile(pageFiles, "style/"+name+".css")
		if err != nil {
			return nil, err
		}
		style.Write(content)
	}
	add("style.css", "text/css; charset=utf-8", style.Bytes())
	add("dark.css", "text/css; charset=utf-8", []byte(design.Dark))
	err := fs.WalkDir(pageFiles, "js", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		content, err := fs.ReadFile(pageFiles, name)
		if err != nil {
			return err
		}
		for _, found := range importPattern.FindAllSubmatch(content, -1) {
			f.imports[name] = append(f.imports[name], path.Join(path.Dir(name), string(found[1])))
		}
		add(name, "text/javascript; charset=utf-8", content)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for name, media := range map[string]string{"icon.svg": "image/svg+xml", "icon-192.png": "image/png", "icon-512.png": "image/png"} {
		content, err := fs.ReadFile(pageFiles, "icon/"+name)
		if err != nil {
			return nil, err
		}
		f.responses["icon/"+name] = prepared.NewResponse("", media, content)
	}
	styles, err := print.NewStyles()
	for name, content := range styles {
		f.responses[name] = prepared.NewResponse("", "text/css; charset=utf-8", content)
	}
	f.base = FilesPath + hex.EncodeToString(sum.Sum(nil)[:8]) + "/"
	return f, err
}

// modules returns the URLs of the modules and of all their imports, each once, imports of imports
// last. A browser would request them in that order, one round trip after another.
func (f *files) modules(names ...string) []string {
	for i := 0; i < len(names); i++ {
		for _, imported := range f.imports[names[i]] {
			if !slices.Contains(names, imported) {
				names = append(names, imported)
			}
		}
	}
	urls := make([]string, len(names))
	for i, name := range names {
		urls[i] = f.base + name
	}
	return urls
}

func (f *files) serve(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, f.base)
	// The service worker of an earlier version may show an icon: all versions have the same icons.
	if _, icon, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, FilesPath), "/icon/"); ok {
		name = "icon/" + icon
	}
	response := f.responses[name]
	if response == nil {
		http.NotFound(w, r)
		return
	}
	response.Send(w, r, http.StatusOK, "public, max-age=31536000, immutable")
}
