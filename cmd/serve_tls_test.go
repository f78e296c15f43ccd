package cmd_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/cmd"
)

func TestServeTLS_Flags(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ flags, says string }{
		{"--domain api.example", "--acme-email"},
		{"--domain api.example --acme-email nobody", "--acme-email"},
		{"--domain http://api.example --acme-email a@b.example", "no host name"},
		{"--domain 192.0.2.1 --acme-email a@b.example", "no host name"},
		{"--domain api.example --acme-email a@b.example --listen :8080", "leave out --listen"},
		{"--domain api.example --acme-email a@b.example --dev", "not for --dev"},
		{"--domain api.example --acme-email a@b.example --acme-staging --acme-ca https://ca.example/dir", "two authorities"},
		{"--domain api.example --acme-email a@b.example --acme-ca http://ca.example/dir", "https address"},
		{"--domain api.example --acme-email a@b.example --acme-ca-root " + empty, "no certificate in PEM"},
		{"--domain api.example --acme-email a@b.example --acme-check 1ms", "at least 1s"},
		{"--domain api.example --acme-email a@b.example --https-listen 443", "no address with a port"},
	}
	for _, tt := range tests {
		c.fails(cmd.ExitUsage, tt.says, append([]string{"serve"}, strings.Fields(tt.flags)...)...)
	}
	if _, err := os.Stat(c.dir); err == nil {
		t.Error("a command that was not understood made the data folder")
	}
}

func TestServeTLS_PortTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
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
