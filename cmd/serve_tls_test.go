package cmd_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db/dbtest"
	"storefront/tenants/doctor"

	"storefront/cmd"
)

func TestServeTLS_Flags(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ flags, message string }{
		{"--domain api.example", "--acme-email"},
		{"--domain api.example --acme-email nobody", "--acme-email"},
		{"--domain http://api.example --acme-email a@b.example", "must be a host name"},
		{"--domain 192.0.2.1 --acme-email a@b.example", "must be a host name"},
		{"--domain api.example --acme-email a@b.example --listen :8080", "cannot be combined with --dev or --listen"},
		{"--domain api.example --acme-email a@b.example --dev", "cannot be combined with --dev or --listen"},
		{"--domain api.example --acme-email a@b.example --acme-staging --acme-ca https://ca.example/dir", "choose one authority"},
		{"--domain api.example --acme-email a@b.example --acme-ca http://ca.example/dir", "must be the https URL"},
		{"--domain api.example --acme-email a@b.example --acme-ca-root " + empty, "contains no PEM certificate"},
		{"--domain api.example --acme-email a@b.example --acme-check 1ms", "must be at least 1s"},
		{"--domain api.example --acme-email a@b.example --https-listen 443", "must be an address with a port"},
	}
	for _, tt := range tests {
		c.fails(cmd.ExitUsage, tt.message, append([]string{"serve"}, strings.Fields(tt.flags)...)...)
	}
	if _, err := os.Stat(c.dir); err == nil {
		t.Error("an invalid command line created the data folder")
	}
}

func TestServeTLS_PortTaken(t *testing.T) {
	t.Parallel()
	used, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	address := used.Addr().String()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	c := newConsole(t)
	for _, flags := range [][]string{
		{"--https-listen", address},
		{"--https-listen", "127.0.0.1:0", "--http-listen", address},
	} {
		args := append([]string{"serve", "--domain", "api.example", "--acme-email", "a@b.example"}, flags...)
		c.fails(cmd.ExitFailed, "another program listens on "+address, args...)
		c.fails(cmd.ExitFailed, "ss -ltnp 'sport = :"+port+"'", args...)
		c.env["STOREFRONT_LISTEN"] = ":8080" // the container image sets it
		c.fails(cmd.ExitFailed, "another program listens on "+address, args...)
	}
}

// While no certificate can be obtained, doctor fails and status shows the name and the reason.
func TestServeTLS_NoCertificate(t *testing.T) {
	t.Parallel()
	authority, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := authority.Addr().String()
	_ = authority.Close()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	p, _ := awaitReady(t, startProcess(t, "serve", "--json", "--data", c.dir, "--domain", "api.shop.example", "--acme-email", "ops@shop.example",
		"--acme-ca", "https://"+refusing+"/directory", "--https-listen", "127.0.0.1:0", "--http-listen", ""))
	var found doctor.Finding
	dbtest.Eventually(t, "the failed attempt is in the server's record", func() bool {
		all, _ := c.findings()
		found = all["certificates"]
		return found.State == doctor.StateFailing
	}, func() string { return found.Message })
	if found.Code != doctor.CodeCertificatesMissing || !strings.HasPrefix(found.Message,
		"api.shop.example has no certificate, and clients cannot connect: ") ||
		!strings.Contains(found.Message, "connection refused. Check that DNS") {
		t.Errorf("got %+v, want the missing certificate and the reason", found)
	}
	if out := c.must("status"); !strings.Contains(out, "No certificate  api.shop.example: ") {
		t.Errorf("status: got\n%s\nwant the name without a certificate", out)
	}
	p.stop(os.Interrupt)
	all, _ := c.findings()
	if got := all["certificates"]; got.Code != doctor.CodeCertificatesMissing || got.State != doctor.StateWarning {
		t.Errorf("stopped: got %+v, want a warning", got)
	}
}

func TestTenantSet_DomainOfAnotherShop(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("tenant", "create", "maple", "--name", "Maple")
	c.must("tenant", "set", "acme", `domains=["shop.example"]`)
	c.fails(cmd.ExitFailed, "shop.example belongs to the shop acme", "tenant", "set", "maple", `domains=["SHOP.example"]`)
}
