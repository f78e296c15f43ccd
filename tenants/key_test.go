package tenants

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestLoadKey_FirstUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := loadKey(dir, "", false)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, keyFile))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode of the key file: %04o, want 0600", got)
	}
	again, err := loadKey(dir, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if first.id != again.id {
		t.Error("the second use made another key")
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 2 {
		t.Errorf("files in the folder: %v, want the key and its id only", left)
	}
}

func TestLoadKey_Concurrent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := make([]*masterKey, 16)
	var group sync.WaitGroup
	for i := range keys {
		group.Go(func() {
			key, err := loadKey(dir, "", false)
			if err != nil {
				t.Error(err)
			}
			keys[i] = key
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	for _, key := range keys {
		if key.id != keys[0].id {
			t.Fatal("two keys for one folder")
		}
	}
}

func TestLoadKey_Invalid(t *testing.T) {
	t.Parallel()
	text := func(b byte) string { return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, keyBytes)) }
	tests := []struct {
		name     string
		prepare  func(t *testing.T, dir string)
		env      string
		hasShops bool
		says     string // what the operator must read
	}{
		{name: "environment is no base64", env: "secret words", says: "STOREFRONT_KEY must be"},
		{name: "environment is too short", env: base64.StdEncoding.EncodeToString([]byte("short")), says: "STOREFRONT_KEY must be"},
		{name: "file is gone though shops are there", hasShops: true, says: "restore " + keyFile},
		{name: "file is broken", prepare: writeKey("rubbish", 0o600), says: "must hold 32 bytes"},
		{name: "file is open to others", prepare: writeKey(text(1), 0o640), says: "chmod 600"},
		{name: "another key than the folder's in the environment", prepare: usedWith(text(1)), env: text(2), hasShops: true, says: "was first used with"},
		{name: "another key than the folder's in the file", prepare: func(t *testing.T, dir string) {
			usedWith(text(1))(t, dir)
			writeKey(text(2), 0o600)(t, dir)
		}, hasShops: true, says: "was first used with"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(tt.name, "others") && runtime.GOOS == "windows" {
				t.Skip("no such modes here")
			}
			dir := t.TempDir()
			if tt.prepare != nil {
				tt.prepare(t, dir)
			}
			_, err := loadKey(dir, tt.env, tt.hasShops)
			if err == nil {
				t.Fatal("accepted")
			}
			says := strings.ReplaceAll(tt.says, "restore "+keyFile, "restore "+filepath.Join(dir, keyFile))
			if !strings.Contains(err.Error(), says) {
				t.Errorf("error %q does not say %q", err, says)
			}
			for _, secret := range []string{text(1), text(2), "secret words", "rubbish"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("error %q shows the key", err)
				}
			}
		})
	}
}

func writeKey(content string, mode os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, keyFile)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask
			t.Fatal(err)
		}
	}
}

func usedWith(text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if _, err := loadKey(dir, text, false); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSealer(t *testing.T) {
	t.Parallel()
	key, other := newKey(t, 1), newKey(t, 2)
	plain := []byte("a courier's secret")
	own := sealer{key, "acme"}
	sealed, err := own.Seal("courier_a.webhook_secret", plain)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, plain) {
		t.Fatal("sealed in the clear")
	}
	again, err := own.Seal("courier_a.webhook_secret", plain)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(sealed, again) {
		t.Error("the same bytes twice: the nonce repeats")
	}
	got, err := own.Open("courier_a.webhook_secret", sealed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, plain) {
		t.Errorf("opened %q, want %q", got, plain)
	}

	flipped := bytes.Clone(sealed)
	flipped[len(flipped)-1] ^= 1
	refused := []struct {
		name   string
		sealer sealer
		under  string
		sealed []byte
		says   string
	}{
		{"another name", own, "courier_b.webhook_token", sealed, "changed"},
		{"another shop", sealer{key, "acme2"}, "courier_a.webhook_secret", sealed, "changed"},
		{"another key", sealer{other, "acme"}, "courier_a.webhook_secret", sealed, "the key of this data folder is"},
		{"a changed byte", own, "courier_a.webhook_secret", flipped, "changed"},
		{"nothing after the key's id", own, "courier_a.webhook_secret", sealed[:idBytes], "changed"},
		{"too short", own, "courier_a.webhook_secret", sealed[:idBytes-1], "too short"},
		{"empty", own, "courier_a.webhook_secret", nil, "too short"},
	}
	for _, tt := range refused {
		if _, err := tt.sealer.Open(tt.under, tt.sealed); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v, want one that says %q", tt.name, err, tt.says)
		}
	}
}

func newKey(t *testing.T, b byte) *masterKey {
	t.Helper()
	key, err := newMasterKey(bytes.Repeat([]byte{b}, keyBytes))
	if err != nil {
		t.Fatal(err)
	}
	return key
}
