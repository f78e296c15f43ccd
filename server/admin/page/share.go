package page

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"
)

const (
	// maxShared is the maximum size of the form with a shared text, in bytes.
	maxShared = 256 << 10
	// maxSharedText is the maximum length of a shared text in characters, as of a pasted message.
	maxSharedText = 5000
)

// shareText is the page that hands a shared text to the dashboard. Its script stores the text in
// the tab and opens the form of a new order. The text is in no address, and the server does not
// store it.
const shareText = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Dashboard</title>
</head>
<body>
  <textarea id="shared" hidden>
{{.Text}}</textarea>
  <script src="{{.Base}}js/early.js"></script>
</body>
</html>
`

// serveShared sends the page with a text that was shared with the dashboard. Messengers send a
// conversation as the text, and some its first line as the title.
func (h *handler) serveShared(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxShared)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The shared text cannot be read.", http.StatusBadRequest)
		return
	}
	var parts []string
	for _, name := range []string{"title", "text", "url"} {
		part := strings.TrimSpace(r.PostForm.Get(name))
		if part != "" && !strings.Contains(strings.Join(parts, "\n"), part) {
			parts = append(parts, part)
		}
	}
	if len(parts) > 1 && strings.HasPrefix(parts[1], parts[0]) {
		parts = parts[1:]
	}
	var page bytes.Buffer
	err := h.share.Execute(&page, struct{ Base, Text string }{h.files.Base, cutShared(strings.Join(parts, "\n"))})
	if err != nil {
		http.Error(w, "The shared text cannot be shown.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(page.Bytes())
}

// cutShared returns the beginning of a text that is too long.
func cutShared(text string) string {
	if utf8.RuneCountInString(text) <= maxSharedText {
		return text
	}
	return string([]rune(text)[:maxSharedText])
}
