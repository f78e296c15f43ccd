package storefront

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"storefront/prepared"
	"storefront/server/design"
)

//go:embed page
var pageFiles embed.FS

// styleSheets are the parts of style.css, in the order of the cascade.
var styleSheets = []string{"base", "parts", "views", "print"}

// files are the page's scripts and its style sheet, each prepared once. Their URLs contain a hash
// of them all, so that browsers may cache them forever although modules import each other by
// relative paths.
type files struct {
	base      string // of their URLs, such as /storefront/0a1b2c3d4e5f6071/
	responses map[string]*prepared.Response
	imports   map[string][]string // the static imports of a module
}

// importPattern matches a static import. The page's modules have each on one line.
var importPattern = regexp.MustCompile(`(?m)^import [^\n]* from '(\.[^']+)'$`)

func newFiles() (*files, error) {
	f := &files{responses: map[string]*prepared.Response{}, imports: map[string][]string{}}
	sum := sha256.New()
	add := func(name, media string, content []byte) {
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(content))
		sum.Write(content)
		f.responses[name] = prepared.NewResponse("", media, content)
	}
	var style bytes.Buffer
	style.WriteString(design.Light + "@media (prefers-color-scheme: dark) {\n" + design.Dark + "}\n")
	for _, name := range styleSheets {
		content, err := pageFiles.ReadFile("page/style/" + name + ".css")
		if err != nil {
			return nil, err
		}
		style.Write(content)
	}
	add("style.css", "text/css; charset=utf-8", style.Bytes())
	err := fs.WalkDir(pageFiles, "page/js", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		content, err := pageFiles.ReadFile(name)
		if err != nil {
			return err
		}
		module := strings.TrimPrefix(name, "page/")
		for _, found := range importPattern.FindAllSubmatch(content, -1) {
			f.imports[module] = append(f.imports[module], path.Join(path.Dir(module), string(found[1])))
		}
		add(module, "text/javascript; charset=utf-8", content)
		return nil
	})
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
	response := f.responses[strings.TrimPrefix(r.URL.Path, f.base)]
	if response == nil {
		http.NotFound(w, r)
		return
	}
	response.Send(w, r, http.StatusOK, "public, max-age=31536000, immutable")
}
