package check

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"net/url"
	"strings"
)

// response is what the handler responded.
type response struct {
	status   int
	media    string
	location string
	cookies  []*http.Cookie
	body     string
}

func (r *response) isPage() bool {
	return r.status == http.StatusOK && strings.HasPrefix(r.media, "text/html")
}

// get requests a path of the shop's canonical host.
func (c *checker) get(ctx context.Context, path string) *response {
	r := c.send(ctx, http.MethodGet, path, nil, nil)
	c.visited[path] = r.status
	return r
}

func (c *checker) send(ctx context.Context, method, path string, form url.Values, cookies []*http.Cookie) *response {
	return c.sendTo(ctx, method, c.Origin, path, form, cookies)
}

// sendTo requests a path of an origin. An invalid path is as one that does not exist.
func (c *checker) sendTo(
	ctx context.Context, method, origin, path string, form url.Values, cookies []*http.Cookie,
) *response {
	r, err := http.NewRequestWithContext(ctx, method, origin+path, strings.NewReader(form.Encode()))
	if err != nil {
		return &response{status: http.StatusNotFound}
	}
	r.RequestURI = r.URL.RequestURI()
	r.Header.Set("User-Agent", "storefront-check")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, cookie := range cookies {
		r.AddCookie(cookie)
	}
	w := &recorder{header: http.Header{}}
	c.Handler.ServeHTTP(w, r)
	parsed := http.Response{Header: w.header}
	return &response{
		status: w.status, media: w.header.Get("Content-Type"), location: w.header.Get("Location"), cookies: parsed.Cookies(), body: w.body.String(),
	}
}

// recorder is a response in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// compressedSize returns the size of a text in gzip.
func compressedSize(text string) int {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text)) // a buffer never fails
	_ = w.Close()
	return out.Len()
}
