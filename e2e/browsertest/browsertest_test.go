package browsertest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/e2e/browsertest"
)

// recorder is a test that records its failures instead of failing.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, args[0].(string))
}

func (r *recorder) end() []string {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
	return r.failures
}

const page = `<!doctype html><title>A page</title><link rel="icon" href="data:,">
<input id="name" value="before"><button id="greet">Greet</button><p id="out"></p>
<script>
greet.onclick = () => { out.textContent = "Hello " + document.getElementById("name").value; };
if (location.hash === "#bad") {
  console.error("something broke");
  fetch("https://example.com/spy").catch(() => {});
  fetch("/missing");
}
</script>`

func newSite(t *testing.T) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, page)
	}))
	t.Cleanup(site.Close)
	return site.URL
}

func TestPage(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	p := browsertest.Open(t)
	p.Go(site)
	p.Fill("#name", "Ayesha")
	p.Click("#greet")
	p.Wait(`out.textContent !== ""`)
	if got := p.Text("#out"); got != "Hello Ayesha" {
		t.Errorf("the page says %q", got)
	}
	p.Resize(390, 844)
	var width int
	p.Eval("Promise.resolve(innerWidth)", &width)
	if width != 390 {
		t.Errorf("got a width of %d pixels, want 390", width)
	}
	if got := p.Requests(); !slices.Equal(got, []string{"GET " + site + "/"}) {
		t.Errorf("requests %q", got)
	}
}

// What moves away from a click, or comes to rest under a bar, is clicked all the same, and once.
func TestPage_ClickMoving(t *testing.T) {
	t.Parallel()
	p := browsertest.Open(t)
	p.Go(newSite(t))
	p.Eval(`(() => {
		const real = document.elementFromPoint.bind(document)
		document.elementFromPoint = (x, y) => { // the last that a click does before it
			document.elementFromPoint = real
			const at = real(x, y)
			greet.style.marginTop = "300px"
			return at
		}
		window.clicks = 0
		greet.addEventListener("click", () => window.clicks++)
		document.body.insertAdjacentHTML("beforeend", '<div style="position:fixed;top:0;height:60px;width:100%;background:red">bar</div>')
		document.body.style.height = "3000px"
		return true
	})()`, nil)
	p.Click("#greet")
	var clicks int
	if p.Eval("window.clicks", &clicks); clicks != 1 {
		t.Errorf("got %d clicks, want 1", clicks)
	}
	p.Eval(`(greet.style.marginTop = "60px", scrollTo(0, greet.offsetTop), true)`, nil)
	p.Click("#greet")
	if p.Eval("window.clicks", &clicks); clicks != 2 {
		t.Errorf("got %d clicks, want 2", clicks)
	}
}

// What a page does wrong fails its test, except for what the test allows.
func TestPage_Problems(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	r := &recorder{TB: t}
	p := browsertest.Open(r)
	p.AllowProblem("status of 404")
	p.Go(site + "/#bad")
	p.Wait(`performance.getEntriesByType("resource").length === 2`)
	problems := strings.Join(r.end(), "\n")
	for _, want := range []string{"something broke", "another host: https://example.com/spy"} {
		if !strings.Contains(problems, want) {
			t.Errorf("nobody hears of %q: %s", want, problems)
		}
	}
	if strings.Contains(problems, "404") {
		t.Errorf("what is allowed fails: %s", problems)
	}
}
