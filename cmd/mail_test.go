package cmd_test

import (
	"strings"
	"testing"

	"storefront/cmd"
)

func TestMail(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.prints(notConfigured, "api", "acme", "getMail")
	c.fails(cmd.ExitFailed, "mail configure acme", "mail", "test", "acme", "a@example.com")
	c.fails(cmd.ExitUsage, "--remove", "mail", "configure", "acme")
	c.fails(cmd.ExitUsage, "--remove", "mail", "configure", "acme", "host=a.example", "--remove")
	c.fails(cmd.ExitFailed, "The settings are: host", "mail", "configure", "acme", "server=a.example")
	c.fails(cmd.ExitFailed, "must not be sent unencrypted", "mail", "configure", "acme", "host=a.example", "from=a@shop.example",
		"username=u", "password=s3cret", "security=none")
	if r := c.run("mail", "configure", "acme", "s3cret"); r.code != cmd.ExitUsage || strings.Contains(r.stderr, "s3cret") {
		t.Errorf("got exit code %d, %s, want a usage error without the secret", r.code, r.stderr)
	}

	c.stdin = "s3cret\n"
	out := c.must("mail", "configure", "acme", "host=smtp.example.com", "from=orders@shop.example", "username=orders", "password=@-")
	for _, out := range []string{out, c.must("api", "acme", "getMail"), c.must("api", "acme", "getMail", "--json")} {
		if strings.Contains(out, "s3cret") || !strings.Contains(out, "smtp.example.com") || !strings.Contains(out, "587") ||
			!strings.Contains(out, "starttls") {
			t.Errorf("got\n%s\nwant the mail server without its password", out)
		}
	}
	c.must("mail", "configure", "acme", "--remove")
	c.prints(notConfigured, "api", "acme", "getMail")
}
