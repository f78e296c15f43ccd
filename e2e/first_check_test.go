package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server that is stopped during its first check of many shops ends well, and so does the next
// one, which continues the check.
func TestServe_StoppedDuringFirstCheck(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 1)
	var shops strings.Builder
	shops.WriteString("uid,name\n")
	for n := range 200 {
		fmt.Fprintf(&shops, "shop-%03d,Shop %d\n", n, n)
	}
	file := filepath.Join(t.TempDir(), "shops.csv")
	if err := os.WriteFile(file, []byte(shops.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "tenant", "create", "--from", file, "--data", data)
	for range 3 {
		p := serve(t, "--data", data)
		p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"}).want(t, http.StatusOK, "")
		if code := p.stop(); code != 0 || strings.Contains(p.logged(), `"level":"ERROR"`) {
			t.Errorf("ended with %d\n%s", code, p.logged())
		}
	}
}
