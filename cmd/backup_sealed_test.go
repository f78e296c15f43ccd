package cmd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"storefront/cmd"
)

// A shop moves to a server that has another key, without a flag for its secrets.
func TestBackup_ForKey(t *testing.T) {
	t.Parallel()
	from, to, third := newSeeded(t), newConsole(t), newConsole(t)
	from.must("sms", "configure", "acme", "--preset", "bulksmsbd", "apiKey=hunter2", "sender=8809600000000")
	key := writeFile(t, "new-server.pub", to.must("key", "public"))
	dir := t.TempDir()
	out := from.must("backup", "acme", dir, "--for-key", key)
	var shown struct{ Key, Fingerprint string }
	if to.json(&shown, "key", "public"); !strings.Contains(out, "Only the server with the key "+shown.Fingerprint) {
		t.Errorf("backup: got\n%s", out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "acme-*.sealed"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v, want one file", files, err)
	}
	third.fails(cmd.ExitFailed, "sealed for another data folder's key", "restore", files[0])
	third.fails(cmd.ExitFailed, "key public", "restore", files[0])
	to.fails(cmd.ExitFailed, "not by the expected one", "restore", files[0], "--from-key", shown.Key)
	out = to.must("restore", files[0], "--from-key", strings.TrimSpace(from.must("key", "public")))
	if !strings.Contains(out, "Restored acme.") || !strings.Contains(out, "It was sealed by the server with the key ") ||
		!strings.Contains(out, "Images copied: 6") {
		t.Errorf("restore: got\n%s", out)
	}
	if got, want := to.must("tenant", "export", "acme"), from.must("tenant", "export", "acme"); strings.Count(got, "\n") < strings.Count(want, "\n")-20 {
		t.Errorf("got %d lines of an export, want about %d", strings.Count(got, "\n"), strings.Count(want, "\n"))
	}
	if got := to.run("doctor", "acme").stdout; strings.Contains(got, "does not open") {
		t.Errorf("doctor: got\n%s", got)
	}
	from.fails(cmd.ExitFailed, "must be a public key", "backup", "acme", dir, "--for-key", "storefront-key-1:nonsense")
	from.fails(cmd.ExitUsage, "for-key", "backup", "acme", dir, "--for-key", key, "--with-key")
	from.fails(cmd.ExitFailed, "is not a sealed file", "restore", key, "--from-key", key)
}
