package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

var consistencyTime = flag.Duration("consistency", 2*time.Second, "how long readers check for stale responses")

// visibleWithin is the time within which a server shows a command's change.
const visibleWithin = 100 * time.Millisecond

var numbered = regexp.MustCompile(`Number (\d+)`)

// Commands change the file from another process. The server checks for changes on a request if its
// last check is too old, so that a slow machine makes this test slow but not wrong: only the time
// between the command's end and the request counts.
func TestContentVersion_ChangedByCommand(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	run(t, "tenant", "create", "acme", "--name", "Number 0", "--data", data)
	p := serve(t, "--data", data, "--rate", "0")
	table := filepath.Join(t.TempDir(), "products.csv")
	change := func(n int) {
		t.Helper()
		if n%2 == 0 {
			run(t, "tenant", "set", "acme", fmt.Sprintf("name=Number %d", n), "--data", data)
			return
		}
		text := fmt.Sprintf("Handle,Title,Variant Price\none,Number %d,100\n", n)
		if err := os.WriteFile(table, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, "product", "import", "acme", table, "--data", data)
	}
	change(1)
	pages := []struct {
		request
		parity int // of the changes that it shows
	}{
		{request{method: "GET", path: "/api/v1/tenant", tenant: "acme"}, 0},
		{request{method: "POST", path: "/graphql", tenant: "acme", body: `{"query":"{storeFront{name}}"}`}, 0},
		{request{method: "GET", path: "/api/v1/products", tenant: "acme"}, 1},
		{request{method: "GET", path: "/api/v1/products/handle/one", tenant: "acme"}, 1},
		{request{method: "POST", path: "/graphql", tenant: "acme", body: `{"query":"{products(limit: -1){nodes{title}}}"}`}, 1},
	}
	var mu sync.Mutex
	ended := []time.Time{time.Now(), time.Now()} // when the command of each number had ended
	least := func(parity int) int {
		mu.Lock()
		defer mu.Unlock()
		for n := len(ended) - 1; n >= 0; n-- {
			if n%2 == parity && time.Since(ended[n]) >= visibleWithin {
				return n
			}
		}
		return 0
	}
	stop := make(chan struct{})
	var wait sync.WaitGroup
	defer wait.Wait()
	defer close(stop)
	for range 16 {
		wait.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				page := pages[rand.N(len(pages))]
				want := least(page.parity)
				got, err := p.do(page.request)
				found := numbered.FindSubmatch(got.body)
				if err != nil || found == nil {
					t.Errorf("%s shows no number: %v %s", page.path, err, got.body)
					return
				}
				if n, _ := strconv.Atoi(string(found[1])); n < want {
					t.Errorf("%s shows number %d, %v after the command for %d", page.path, n, visibleWithin, want)
				}
			}
		})
	}
	for began := time.Now(); len(ended) < 6 || time.Since(began) < *consistencyTime; {
		change(len(ended))
		mu.Lock()
		ended = append(ended, time.Now())
		mu.Unlock()
	}
}
