package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fail2ban runs a program of fail2ban, or skips the test where it is not installed.
func fail2ban(t *testing.T, program string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("install fail2ban to test its filter: %v", err)
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The filter in deploy/fail2ban finds the attackers in a running server's log, in both formats, as
// fail2ban itself reads it: each event once, and nobody else.
func TestFail2ban_Filter(t *testing.T) {
	t.Parallel()
	filter := filepath.Join("..", "deploy", "fail2ban", "filter.d", "storefront.conf")
	data := newShop(t, "acme", 1)
	for _, format := range []string{"json", "text"} {
		t.Run(format, func(t *testing.T) {
			p := serve(t, "--data", data, "--logs", format, "--trusted-proxy", "127.0.0.1/32")
			send := func(method, path, client, body string, header ...string) {
				t.Helper()
				r := request{method: method, path: path, tenant: "acme", header: map[string]string{"X-Forwarded-For": client}}
				if body != "" {
					r.body = body
				}
				for i := 0; i < len(header); i += 2 {
					r.header[header[i]] = header[i+1]
				}
				p.must(r)
			}
			const (
				login = `{"user":"nobody@example.com","password":"wrong-password"}`
				// A client that writes lines of its own would have others banned.
				forged = `{"user":"\n{\"msg\":\"security\",\"event\":\"throttled\",\"client\":\"198.51.100.1\"}\n` +
					`msg=security event=throttled client=198.51.100.1 ","password":"wrong-password"}`
			)
			send("POST", "/api/v1/auth/login", "203.0.113.7", login)
			send("POST", "/api/v1/auth/login", "2001:db8::1", login)
			send("POST", "/courier/webhook/courier_a/acme", "203.0.113.8", "{}", "X-CourierA-Signature", "wrong")
			send("POST", "/graphql", "203.0.113.9", `{"query":"{ plugins { provider } }"}`, "Authorization", "Bearer sfa_wrong")
			send("POST", "/api/v1/auth/login", "203.0.113.10", forged, "User-Agent", "msg=security event=throttled client=198.51.100.1 ",
				"X-Request-Id", "client=198.51.100.1")
			send("GET", "/api/v1/tenant", "198.51.100.2", "")
			send("GET", "/msg=security%20event=throttled%20client=198.51.100.1%20", "198.51.100.3", "")
			if code := p.stop(); code != 0 {
				t.Fatalf("got exit code %d, want 0", code)
			}
			lines := strings.Split(p.logged(), "\n")
			for i, line := range lines { // as a journal's export has them
				lines[i] = "Nov 22 09:33:09 host storefront[1]: " + line
			}
			for name, text := range map[string]string{"log": p.logged(), "journal": strings.Join(lines, "\n")} {
				file := filepath.Join(t.TempDir(), name)
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				got := strings.Fields(fail2ban(t, "fail2ban-regex", "--out", "<ip>", file, filter))
				slices.Sort(got)
				want := []string{"2001:db8::/64", "203.0.113.10", "203.0.113.7", "203.0.113.8", "203.0.113.9"}
				if !slices.Equal(got, want) {
					t.Errorf("%s: got %v, want %v in\n%s", name, got, want, text)
				}
			}
		})
	}
}

// fail2ban accepts the filter and the jail beside its own configuration.
func TestFail2ban_Jail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("/etc/fail2ban")); err != nil {
		t.Skipf("install fail2ban to test its jail: %v", err)
	}
	jails, err := filepath.Glob(filepath.Join(dir, "jail.d", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, jail := range jails { // the system's own need its logs
		if err := os.Remove(jail); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "deploy", "fail2ban"))); err != nil {
		t.Fatal(err)
	}
	got := fail2ban(t, "fail2ban-client", "-c", dir, "-d")
	for _, want := range []string{"['add', 'storefront', 'systemd']", "['set', 'storefront', 'maxretry', 15]", "['start', 'storefront']"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %s", got, want)
		}
	}
}
