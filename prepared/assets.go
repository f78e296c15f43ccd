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

// Assets are a page's files, by their addresses. They stay the same for as long as the process runs.
type Assets struct {
	prefix string
	files  map[string]asset
}

// asset is one file: compressed, as a browser wants it.
type asset struct {
	media string
	gzip  []byte
	hash  string // of its content: part of its address, so that browsers keep it for good
}

// mediaTypes are those of the files, which package mime would look up on the machine.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".txt": "text/plain; charset=utf-8",
}

// NewAssets takes the files in a folder whose type is known, those that end in .gz without that.
// Their addresses begin with prefix, which ends in a slash.
func NewAssets(files embed.FS, folder, prefix string) (*Assets, error) {
	a := &Assets{prefix: prefix, files: map[string]asset{}}
	err := fs.WalkDir(files, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		name, packed := strings.CutSuffix(path.Base(name), ".gz")
		media, known := mediaTypes[path.Ext(name)]
		if !known {
			return nil
		}
		if !packed {
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
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err := w.Close()
	return packed.Bytes(), err
}

// URL gives the address of a file, for the page's template.
func (a *Assets) URL(name string) (string, error) {
	file, ok := a.files[name]
	if !ok {
		return "", fmt.Errorf("no file %s", name)
	}
	return a.prefix + name + "?v=" + file.hash, nil
}

// Serve answers with the file that the path names; false: there is none, and nothing is answered.
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
		_, _ = w.Write(file.gzip) // a client that has gone does not read it
		return true
	}
	if content, err := gzip.NewReader(bytes.NewReader(file.gzip)); err == nil { // always: we packed it
		_, _ = io.Copy(w, content)
	}
	return true
}
