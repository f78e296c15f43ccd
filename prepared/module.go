package prepared

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
)

// Modules are a page's scripts, with its style sheets. Their URLs contain a hash of them all, so
// that browsers may cache them forever although modules import each other by relative paths.
type Modules struct {
	Base      string               // of their URLs, such as /admin/assets/0a1b2c3d4e5f6071/
	responses map[string]*Response // by path below Base
	imports   map[string][]string  // the static imports of a module
}

// importPattern matches a static import or export of another module, minified or not.
var importPattern = regexp.MustCompile(
	`(?:^|[;\n}])(?:import|export)\b[^'"();]*['"](\.[^'"]+)['"]`)

// NewModules returns the style sheets, by name, and the modules in the folder js of source, with
// URLs below a path.
func NewModules(below string, styles map[string][]byte, source fs.FS) (*Modules, error) {
	m := &Modules{responses: map[string]*Response{}, imports: map[string][]string{}}
	sum := sha256.New()
	add := func(name, media string, content []byte) {
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(content))
		sum.Write(content)
		m.Add(name, media, content)
	}
	for _, name := range slices.Sorted(maps.Keys(styles)) {
		add(name, mediaTypes[".css"], styles[name])
	}
	err := fs.WalkDir(source, "js", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		content, err := fs.ReadFile(source, name)
		if err != nil {
			return err
		}
		for _, found := range importPattern.FindAllSubmatch(content, -1) {
			m.imports[name] = append(m.imports[name], path.Join(path.Dir(name), string(found[1])))
		}
		add(name, mediaTypes[".js"], content)
		return nil
	})
	m.Base = below + hex.EncodeToString(sum.Sum(nil)[:8]) + "/"
	return m, err
}

// StyleSheet returns the tokens followed by the parts in the folder style of source, in the order
// of the cascade.
func StyleSheet(tokens string, source fs.FS, parts ...string) ([]byte, error) {
	style := bytes.NewBufferString(tokens)
	for _, name := range parts {
		content, err := fs.ReadFile(source, "style/"+name+".css")
		if err != nil {
			return nil, err
		}
		style.Write(content)
	}
	return style.Bytes(), nil
}

// Add adds a file that the hash in the URLs does not cover.
func (m *Modules) Add(name, media string, content []byte) {
	m.responses[name] = NewResponse("", media, content)
}

// Names returns the paths of the files below Base, sorted.
func (m *Modules) Names() []string { return slices.Sorted(maps.Keys(m.responses)) }

// URLs returns the URLs of the modules and of all their imports, each once, imports of imports
// last. A browser would request them in that order, one round trip after another.
func (m *Modules) URLs(names ...string) []string {
	for i := 0; i < len(names); i++ {
		for _, imported := range m.imports[names[i]] {
			if !slices.Contains(names, imported) {
				names = append(names, imported)
			}
		}
	}
	urls := make([]string, len(names))
	for i, name := range names {
		urls[i] = m.Base + name
	}
	return urls
}

// Serve sends a file by its path below Base.
func (m *Modules) Serve(w http.ResponseWriter, r *http.Request, name string) {
	response := m.responses[name]
	if response == nil {
		http.NotFound(w, r)
		return
	}
	response.Send(w, r, http.StatusOK, "public, max-age=31536000, immutable")
}
