package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/cmd"
)

func TestTenantExportAndImport(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("seed", "acme")
	file := filepath.Join(t.TempDir(), "acme.jsonl")
	c.must("tenant", "export", "acme", file)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c.fails(cmd.ExitFailed, "already exists", "tenant", "import", file)
	c.must("tenant", "delete", "acme", "--yes")
	if got := c.must("tenant", "import", file); got != "Restored acme.\n" {
		t.Errorf("printed %q", got)
	}
	if got := c.must("tenant", "export", "acme"); got != string(before) {
		t.Error("an export of what was imported is another")
	}
	c.must("tenant", "import", file, "--as", "acme-two")
	if got := c.must("tenant", "list"); !strings.Contains(got, "suspended") || !strings.Contains(got, "sandbox") {
		t.Errorf("a twin:\n%s", got)
	}
	copies := t.TempDir() // the sums include those of the search index, which no export has
	c.must("backup", "--all", copies)
	if got := c.must("backup", "verify", copies); strings.Count(got, "sound") != 2 {
		t.Errorf("verified:\n%s", got)
	}

	there := newConsole(t)
	there.fails(cmd.ExitFailed, "--drop-secrets", "tenant", "import", file)
	there.must("tenant", "import", file, "--drop-secrets")
	for name, text := range map[string]string{
		"nothing": "", "rubbish": "rubbish\n", "cut": string(before[:len(before)/2]), "nameless": `{"format":"storefront-export","schema":1}` + "\n",
	} {
		bad := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := there.run("tenant", "import", bad, "--as", "other"); r.code != cmd.ExitFailed {
			t.Errorf("%s: exit %d %s", name, r.code, r.stdout)
		}
	}
	if got := there.must("tenant", "list"); strings.Contains(got, "other") {
		t.Errorf("a bad export left a shop:\n%s", got)
	}
}
