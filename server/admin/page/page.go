// Package page is the merchant's dashboard at /admin/: a client that uses only the Admin API.
//
// Its scripts are ES modules in the folder js, served unchanged. Releases are built with the tag
// bundled, which embeds the output of bundle.sh instead: equivalent, but fewer and smaller files.
// The first visit loads the modules for the list of orders; other views are loaded when first
// shown.
package page

import (
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"storefront/prepared"
)

// Path is the page's path, and FilesPath begins the paths of its files.
const (
	Path      = "/admin/"
	FilesPath = Path + "assets/"
	// WorkerPath is the path of the service worker, and ManifestPath of the description for a device
	// that installs the page.
	WorkerPath   = Path + "sw.js"
	ManifestPath = Path + "manifest.webmanifest"
	// SharePath is the path to which a device that has installed the page posts a text that is
	// shared with it.
	SharePath = Path + "share"
	// BrandingPath is the path of the operator's name and contact, and BrandingStylePath of the
	// colours.
	BrandingPath      = Path + "branding"
	BrandingStylePath = Path + "branding.css"
)

// contentPolicy lets the page load its own files and call its own server. Pictures of products may
// be on any host, and so may the site that is previewed. No text can become script: the browser
// refuses every sink of scripts, except the address of the service worker and the parser that reads
// descriptions into an inert document.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' http: https: data: blob:; connect-src 'self'; " +
	"manifest-src 'self'; worker-src 'self'; frame-src 'self' http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types worker description"

// workerPolicy lets the service worker load the page's files, and the icon of notifications.
const workerPolicy = "default-src 'none'; connect-src 'self'; img-src 'self'"

type handler struct {
	files    *files
	page     *prepared.Response
	worker   *prepared.Response
	manifest *prepared.Response
	share    *template.Template
}

// New returns the handler of the page and its files.
func New() (http.Handler, error) {
	files, err := newFiles()
	if err != nil {
		return nil, fmt.Errorf("read dashboard files: %w", err)
	}
	page, err := template.ParseFS(pageFiles, "index.html")
	if err != nil {
		return nil, fmt.Errorf("parse dashboard page: %w", err)
	}
	var html strings.Builder
	err = page.Execute(&html, struct {
		Base    string
		Modules []string
	}{files.Base, files.URLs("js/main.js")})
	if err != nil {
		return nil, fmt.Errorf("execute dashboard page: %w", err)
	}
	worker, err := files.worker(html.String())
	if err != nil {
		return nil, fmt.Errorf("build service worker: %w", err)
	}
	manifest, err := files.manifest()
	if err != nil {
		return nil, fmt.Errorf("build manifest: %w", err)
	}
	share, err := template.New("share").Parse(shareText)
	if err != nil {
		return nil, fmt.Errorf("parse page of a shared text: %w", err)
	}
	return &handler{
		share: share, files: files, page: prepared.NewResponse("", "text/html; charset=utf-8", []byte(html.String())),
		worker:   prepared.NewResponse("", "text/javascript; charset=utf-8", worker),
		manifest: prepared.NewResponse("", "application/manifest+json", manifest),
	}, nil
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	if strings.HasPrefix(r.URL.Path, FilesPath) {
		h.files.serve(w, r)
		return
	}
	switch r.URL.Path {
	case WorkerPath:
		header.Set("Content-Security-Policy", workerPolicy)
		h.worker.Send(w, r, http.StatusOK, "no-cache")
		return
	case ManifestPath:
		h.manifest.Send(w, r, http.StatusOK, "no-cache")
		return
	}
	header.Set("Content-Security-Policy", contentPolicy)
	if r.URL.Path == SharePath {
		h.serveShared(w, r)
		return
	}
	h.page.Send(w, r, http.StatusOK, "no-cache")
}
