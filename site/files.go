package site

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"storefront/prepared"
	"storefront/shop/design"
)

//go:embed style script
var fileSources embed.FS

// FilesPath begins the paths of styles and scripts.
const FilesPath = "/assets/"

// styles are the parts of the stylesheet of each kind of page. The parts of sections are added to
// each, and then the part of the design.
var styles = map[string][]string{
	"home":    {"base.css", "card.css"},
	"list":    {"base.css", "card.css", "list.css"},
	"product": {"base.css", "card.css", "cart.css", "product.css"},
	"form":    {"base.css", "cart.css", "form.css"},
	"text":    {"base.css", "card.css"},
	"landing": {"base.css", "cart.css", "form.css"},
}

// unsectioned is the kind of pages without sections.
const unsectioned = "form"

// styleName returns the name of the stylesheet of a kind of page in a design.
func styleName(kind string, of design.Name) string { return kind + "-" + string(of) + ".css" }

var scripts = []string{
	"frame.js", "list.js", "search.js", "product.js", "drawer.js", "checkout.js", "work.js", "code.js", "landing.js", "incomplete.js",
	"consent.js", "advertising.js", "passkey.js",
}

// speculationName is the file of the rules by which browsers load the next page ahead, when the
// pointer rests on a link. See https://wicg.github.io/nav-speculation/speculation-rules.html.
const (
	speculationName = "speculation.json"
	speculation     = `{"prefetch":[{"eagerness":"moderate","where":{"and":[{"href_matches":"/*"},` +
		`{"not":{"href_matches":["/*/cart","/cart","/*/cart/add","/cart/add","/*/checkout","/checkout","/*/account","/account","/*/orders/*","/orders/*",` +
		`"/api/*","/admin/*","/docs*","/graphql*","/media/*","/*.xml"]}}]}}]}`
)

// SpeculationRules returns the value of the header of the same name, with the path of the rules.
func (s *Site) SpeculationRules() string { return `"` + s.files.paths[speculationName] + `"` }

// files are the styles and scripts, by path. Each path contains the hash of its content.
type files struct {
	byPath map[string]*prepared.Response
	paths  map[string]string // by name
}

func newFiles() (*files, error) {
	f := &files{byPath: map[string]*prepared.Response{}, paths: map[string]string{}}
	sections, err := fs.Glob(fileSources, "style/section/*.css")
	if err != nil {
		return nil, fmt.Errorf("list styles of sections: %w", err)
	}
	for kind, parts := range styles {
		var all []byte
		add := func(file string) error {
			content, err := fileSources.ReadFile(file)
			all = append(all, content...)
			return err
		}
		for _, part := range parts {
			err = errors.Join(err, add("style/"+part))
		}
		if kind != unsectioned {
			for _, part := range sections {
				err = errors.Join(err, add(part))
			}
		}
		shared := len(all)
		for _, name := range design.Names() {
			all = all[:shared:shared]
			err = errors.Join(err, add("style/design/"+string(name)+".css"))
			f.add(styleName(kind, name), "text/css; charset=utf-8", all)
		}
		if err != nil {
			return nil, fmt.Errorf("read styles: %w", err)
		}
	}
	for _, name := range scripts {
		content, err := fileSources.ReadFile(path.Join("script", name))
		if err != nil {
			return nil, fmt.Errorf("read script: %w", err)
		}
		f.add(name, "text/javascript; charset=utf-8", content)
	}
	style, err := fileSources.ReadFile("style/consent.css")
	if err != nil {
		return nil, fmt.Errorf("read style: %w", err)
	}
	f.add("consent.css", "text/css; charset=utf-8", style)
	f.add(speculationName, "application/speculationrules+json", []byte(speculation))
	return f, nil
}

func (f *files) add(name, media string, content []byte) {
	sum := sha256.Sum256(content)
	at := FilesPath + hex.EncodeToString(sum[:6]) + "/" + name
	f.paths[name] = at
	f.byPath[at] = prepared.NewResponse("", media, content)
}

// path returns the path of a file, for a template.
func (f *files) path(name string) (string, error) {
	at, ok := f.paths[name]
	if !ok {
		return "", fmt.Errorf("no file %s", name)
	}
	return at, nil
}

// ServeFile responds with a style or script and reports whether the path is one. A page that an
// older version of the program rendered receives the present file, which is not to be stored.
func (s *Site) ServeFile(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasPrefix(r.URL.Path, FilesPath) {
		return false
	}
	caching := "public, max-age=31536000, immutable"
	file, ok := s.files.byPath[r.URL.Path]
	if !ok {
		file, ok = s.files.byPath[s.files.paths[path.Base(r.URL.Path)]]
		caching = "no-store"
	}
	if !ok {
		return false
	}
	file.Send(w, r, http.StatusOK, caching)
	return true
}
