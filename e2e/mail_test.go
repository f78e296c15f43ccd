package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/provider/mail/mailtest"
)

// The command line sends a test e-mail through the shop's mail server, at a private address only if
// the operator allows it.
func TestMail_Test(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t, &mailtest.Options{Plain: true})
	data := t.TempDir()
	run(t, "tenant", "create", "acme", "--name", "ঢাকা বাজার", "--data", data)
	run(t, "mail", "configure", "acme", "host="+s.Host, fmt.Sprint("port=", s.Port), "security=none", "from=orders@shop.example", "--data", data)
	out, err := storefront(t, "mail", "test", "acme", "me@example.com", "--data", data).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "private and reserved addresses are not allowed") {
		t.Errorf("got %v\n%s\nwant a refused address", err, out)
	}
	run(t, "mail", "test", "acme", "me@example.com", "--private-providers", "--data", data)
	if m := s.Next(t, "me@example.com"); m.Subject != "Test e-mail of ঢাকা বাজার" || m.From != "orders@shop.example" {
		t.Errorf("got %q from %s", m.Subject, m.From)
	}
}
