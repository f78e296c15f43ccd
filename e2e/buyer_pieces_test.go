package e2e

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"storefront/shop/design"
)

// A slow line delivers a page in pieces, and the browser paints before the last one: what is on
// screen stays where it is.
func TestBuyer_PagesInPieces(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	page, site := newVisitor(t, p, 360, "light")
	target, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		proxy.ServeHTTP(pieces{w}, r)
	}))
	t.Cleanup(line.Close)
	site = strings.Replace(site, target.Host[strings.Index(target.Host, ":"):], line.URL[strings.LastIndex(line.URL, ":"):], 1)
	page.MeasureLoads()
	visit := func(of design.Name, path string) {
		t.Helper()
		for _, width := range []int{360, 1280} {
			page.Resize(width, 780)
			page.Go(site + path)
			page.Wait(`document.readyState === "complete"`)
			if load := page.MeasureLoad(); load.Shift > 0 {
				t.Errorf("%s, %s at %d px: got a layout shift of %.3f by %s, want none", of, path, width, load.Shift, load.Shifted)
			}
		}
	}
	for _, path := range []string{"/", "/collections/all", "/products/rajshahi-silk-saree", "/bn/cart"} {
		visit(design.Angan, path)
	}
	saveLanding(t, data, "each", `[{"kind":"productFacts"},{"kind":"orderForm"},`+allSections[1:])
	for _, of := range design.Names() {
		publishDesign(t, data, `{"design":"`+string(of)+`","tokens":{},"templates":{}}`)
		visit(of, "/bn/l/t-shirt")
		visit(of, "/bn/l/each")
	}
}

// pieces sends a page in pieces of about 200 bytes, and its head and its price element by element,
// each after a frame. No piece ends in a word.
type pieces struct{ http.ResponseWriter }

func (w pieces) Write(p []byte) (n int, err error) {
	if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		return w.ResponseWriter.Write(p)
	}
	for n < len(p) && err == nil {
		var written int
		size := 200
		if bytes.Contains(p[:n], []byte("<header")) && bytes.Contains(p[n:], []byte("</header>")) {
			size = 1
		}
		if bytes.Contains(p[max(0, n-600):min(len(p), n+200)], []byte(`class="price-row"`)) {
			size = 1
		}
		end := min(n+size, len(p))
		if tag := bytes.IndexByte(p[end:], '<'); tag >= 0 {
			end += tag
		} else {
			end = len(p)
		}
		written, err = w.ResponseWriter.Write(p[n:end])
		n += written
		w.ResponseWriter.(http.Flusher).Flush()
		time.Sleep(20 * time.Millisecond)
	}
	return n, err
}

func (w pieces) Unwrap() http.ResponseWriter { return w.ResponseWriter }
