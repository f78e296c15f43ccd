package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"storefront/cmd"
)

func TestTenantExport_Import(t *testing.T) {
	t.Parallel()
	c := newSeeded(t)
	file := filepath.Join(t.TempDir(), "acme.jsonl")
	c.must("tenant", "export", "acme", file)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c.fails(cmd.ExitFailed, "already exists", "tenant", "import", file)
	c.must("tenant", "delete", "acme", "--yes")
	if got := c.must("tenant", "import", file); got != "Restored acme.\nThe next order gets the number 1001.\nImages copied: 6.\n" {
		t.Errorf("tenant import: got %q, want the restored shop and its next number", got)
	}
	// Imported data has cursors of its own.
	cursors := regexp.MustCompile(`\["(epoch|content)",\d+\]`)
	if got := c.must("tenant", "export", "acme"); cursors.ReplaceAllString(got, "") != cursors.ReplaceAllString(string(before), "") {
		t.Error("the export of the imported shop differs from the original export")
	}
	c.must("tenant", "import", file, "--as", "acme-two")
	if got := c.must("tenant", "list"); !strings.Contains(got, "suspended") || !strings.Contains(got, "sandbox") {
		t.Errorf("tenant list: got\n%s\nwant a suspended clone in sandbox mode", got)
	}
	files := t.TempDir() // verify also checks the search index, which an export does not contain
	c.must("backup", "--all", files)
	if got := c.must("backup", "verify", files); strings.Count(got, "sound") != 2 {
		t.Errorf("backup verify: got\n%s\nwant 2 sound backups", got)
	}

	other := newConsole(t)
	other.fails(cmd.ExitFailed, "--drop-secrets", "tenant", "import", file)
	other.must("tenant", "import", file, "--drop-secrets")
	for name, text := range map[string]string{
		"empty": "", "not JSON": "garbage\n", "truncated": string(before[:len(before)/2]),
		"without UID": `{"format":"storefront-export","schema":1}` + "\n",
	} {
		bad := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := other.run("tenant", "import", bad, "--as", "other"); r.code != cmd.ExitFailed {
			t.Errorf("%s: got exit code %d, %s, want 1", name, r.code, r.stdout)
		}
	}
	if got := other.must("tenant", "list"); strings.Contains(got, "other") {
		t.Errorf("tenant list after failed imports: got\n%s", got)
	}
}
