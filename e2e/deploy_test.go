package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"storefront/db/dbtest"
)

// A setting with a wrong name would be ignored silently.
func TestDeploy_SettingsExist(t *testing.T) {
	t.Parallel()
	help := run(t, "--help") + run(t, "serve", "--help")
	for _, name := range []string{"../docs/deploy.md", "../docs/security.md", "../deploy/storefront.service", "../deploy/Dockerfile"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		settings := regexp.MustCompile(`STOREFRONT_[A-Z_]+`).FindAllString(string(text), -1)
		if len(settings) == 0 {
			t.Errorf("%s: got no setting, want some", name)
		}
		for _, setting := range settings {
			if !regexp.MustCompile(setting + `\b`).MatchString(help) {
				t.Errorf("%s: no flag reads %s", name, setting)
			}
		}
	}
}

func TestDeploy_BehindProxy(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	settings := regexp.MustCompile(`(?m)^STOREFRONT_(?:LISTEN|API_PUBLIC_URL|TRUSTED_PROXY)=.*$`).FindAllString(string(page), -1)
	if len(settings) != 3 {
		t.Fatalf("got the settings %q, want 3", settings)
	}
	cmd := storefront(t, "serve", "--data", t.TempDir())
	for _, setting := range settings {
		cmd.Env = append(cmd.Env, strings.Replace(setting, ":8080", ":0", 1))
	}
	got := start(t, cmd).must(request{method: "GET", path: "/openapi.json"})
	if got.status != http.StatusOK || !strings.Contains(string(got.body), `"url":"https://api.example.com"`) {
		t.Errorf("got %d without the public URL, want 200 with it", got.status)
	}
}

func TestDeploy_DomainsAndKeyRotation(t *testing.T) {
	dbtest.NeedFiles(t, "a new data folder has the new key")
	t.Parallel()
	dir := t.TempDir()
	linkProgram(t, dir)
	data := filepath.Join(dir, "data")
	run(t, "tenant", "create", "acme", "--name", "Acme", "--data", data)
	run(t, "token", "create", "acme", "--name", "an old one", "--data", data)
	script := commands(t, "../docs/deploy.md", "domains", "end of domains") + commands(t, "../docs/security.md", "keys", "end of keys")
	out := shell(t, dir, script)
	out += shell(t, dir, script)
	tokens := run(t, "token", "list", "acme", "--data", data)
	if strings.Contains(tokens, "an old one") || !strings.Contains(tokens, "dashboard") {
		t.Errorf("got tokens\n%s\nwant only the new one", tokens)
	}
	if !strings.Contains(run(t, "tenant", "show", "acme", "--data", filepath.Join(dir, "new-data")), "shop.example.com") {
		t.Errorf("the moved shop lacks its domain:\n%s", out)
	}
	var keys []string
	for _, folder := range []string{data, filepath.Join(dir, "new-data")} {
		key, err := os.ReadFile(filepath.Join(folder, "key"))
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, string(key))
	}
	if keys[0] == keys[1] {
		t.Error("got the old key in the new data folder, want another")
	}
}
