package prepared

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// Assets are the static files of a page, by URL. They do not change while the process runs.
type Assets struct {
	prefix string
	files  map[string]asset
}

// asset is one file, stored compressed.
type asset struct {
	media string
	gzip  []byte
	hash  string // of its content: part of the URL, so that browsers may cache it forever
}

// mediaTypes are the types of the files by extension. Package mime would read them from the host.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".txt": "text/plain; charset=utf-8",
}

// NewAssets returns the files of a folder that have one of the known types. A .gz suffix is removed
// from the name. Their URLs begin with prefix, which ends in a slash.
func NewAssets(files embed.FS, folder, prefix string) (*Assets, error) {
	a := &Assets{prefix: prefix, files: map[string]asset{}}
	err := fs.WalkDir(files, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		name, isCompressed := strings.CutSuffix(path.Base(name), ".gz")
		media, known := mediaTypes[path.Ext(name)]
		if !known {
			return nil
		}
		if !isCompressed {
			if content, err = compressAsset(content); err != nil {
				return err
			}
		}
		a.files[name] = asset{media, content, hex.EncodeToString(sum[:8])}
		return nil
	})
	return a, err
}

func compressAsset(content []byte) ([]byte, error) {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err := w.Close()
	return compressed.Bytes(), err
}

// URL returns the URL of a file, for the page's template.
func (a *Assets) URL(name string) (string, error) {
	file, ok := a.files[name]
	if !ok {
		return "", fmt.Errorf("no file %s", name)
	}
	return a.prefix + name + "?v=" + file.hash, nil
}

// Serve writes the file at the request's path and reports whether there is one. If not, it writes
// nothing.
func (a *Assets) Serve(w http.ResponseWriter, r *http.Request) bool {
	file, ok := a.files[strings.TrimPrefix(r.URL.Path, a.prefix)]
	if !ok {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", file.media)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == file.hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Add("Vary", "Accept-Encoding")
	if AcceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(file.gzip)))
		_, _ = w.Write(file.gzip) // the client may be gone
		return true
	}
	if content, err := gzip.NewReader(bytes.NewReader(file.gzip)); err == nil { // always: NewAssets compressed it
		_, _ = io.Copy(w, content)
	}
	return true
}
