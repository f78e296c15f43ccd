package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The example of a client lists, prices, orders and follows the order, and shows what was refused.
func TestExampleClient(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("this test needs Node.js: %v", err)
	}
	p := serve(t, "--dev", "--data", demoData(t))
	node := func(parameters ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "node", append([]string{"shop.mjs"}, parameters...)...)
		cmd.Dir = filepath.Join("..", "clients", "example")
		cmd.Env = append(os.Environ(), "STOREFRONT_URL="+p.url)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, tt := range []struct {
		parameters string
		texts      []string
		refused    bool
	}{
		{"list black tea", []string{"sylhet-black-tea\t৳130.00"}, false},
		{"quote sylhet-black-tea Dhaka 2", []string{"Goods ৳260.00, delivery ৳70.00", "Total ৳330.00"}, false},
		{"order sylhet-black-tea Rajshahi 017 Rahima House", []string{"customer.phoneNumber"}, true},
		{"order none Rajshahi 01711-000000 Rahima House", []string{"product"}, true},
	} {
		out, err := node(strings.Fields(tt.parameters)...)
		for _, text := range tt.texts {
			if !strings.Contains(out, text) || (err != nil) != tt.refused {
				t.Errorf("%s: got %v\n%s\nwant %q", tt.parameters, err, out, text)
			}
		}
	}
	out, err := node("order", "sylhet-black-tea", "Rajshahi", "01711-000000", "Rahima Khatun", "House 12")
	_, track, ok := strings.Cut(out, "node shop.mjs ")
	if err != nil || !ok {
		t.Fatalf("order: got %v\n%s", err, out)
	}
	whole := strings.Fields(track)
	if out, err := node(whole...); err != nil || !strings.Contains(out, "For Rahima Khatun, Rajshahi") {
		t.Errorf("track: got %v\n%s", err, out)
	}
	if out, err := node(whole[:2]...); err != nil || strings.Contains(out, "Rahima Khatun") {
		t.Errorf("track without the token: got %v\n%s", err, out)
	}
}
