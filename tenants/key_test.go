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
		t.Errorf("mode of the key file: got %04o, want 0600", got)
	}
	again, err := loadKey(dir, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if first.id != again.id {
		t.Errorf("second use: got key %x, want %x", again.id, first.id)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 2 {
		t.Errorf("got files %v, want only the key and its ID", left)
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
			t.Fatalf("got keys %x and %x, want one", key.id, keys[0].id)
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
		message  string // part of the message
	}{
		{name: "environment not base64", env: "secret words", message: "STOREFRONT_KEY must be"},
		{name: "environment too short", env: base64.StdEncoding.EncodeToString([]byte("short")), message: "STOREFRONT_KEY must be"},
		{name: "file missing with shops", hasShops: true, message: "restore " + keyFile},
		{name: "file malformed", prepare: writeKey("rubbish", 0o600), message: "must hold 32 bytes"},
		{name: "file readable by others", prepare: writeKey(text(1), 0o640), message: "chmod 600"},
		{name: "another key in the environment", prepare: usedWith(text(1)), env: text(2), hasShops: true, message: "was first used with"},
		{name: "another key in the file", prepare: func(t *testing.T, dir string) {
			usedWith(text(1))(t, dir)
			writeKey(text(2), 0o600)(t, dir)
		}, hasShops: true, message: "was first used with"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(tt.name, "others") && runtime.GOOS == "windows" {
				t.Skip("Windows has no file modes")
			}
			dir := t.TempDir()
			if tt.prepare != nil {
				tt.prepare(t, dir)
			}
			_, err := loadKey(dir, tt.env, tt.hasShops)
			if err == nil {
				t.Fatal("got no error")
			}
			message := strings.ReplaceAll(tt.message, "restore "+keyFile, "restore "+filepath.Join(dir, keyFile))
			if !strings.Contains(err.Error(), message) {
				t.Errorf("got error %q, want one with %q", err, message)
			}
			for _, secret := range []string{text(1), text(2), "secret words", "rubbish"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("error %q contains the key", err)
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
		if err := os.Chmod(path, mode); err != nil { // regardless of the umask
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
		t.Fatal("the sealed bytes contain the plain text")
	}
	again, err := own.Seal("courier_a.webhook_secret", plain)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(sealed, again) {
		t.Error("got the same sealed bytes twice: the nonce repeats")
	}
	got, err := own.Open("courier_a.webhook_secret", sealed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, plain) {
		t.Errorf("open: got %q, want %q", got, plain)
	}

	flipped := bytes.Clone(sealed)
	flipped[len(flipped)-1] ^= 1
	invalid := []struct {
		name    string
		sealer  sealer
		secret  string
		sealed  []byte
		message string
	}{
		{"another name", own, "courier_b.webhook_token", sealed, "changed"},
		{"another shop", sealer{key, "acme2"}, "courier_a.webhook_secret", sealed, "changed"},
		{"another key", sealer{other, "acme"}, "courier_a.webhook_secret", sealed, "the key of this data folder is"},
		{"changed byte", own, "courier_a.webhook_secret", flipped, "changed"},
		{"nothing after the key ID", own, "courier_a.webhook_secret", sealed[:idBytes], "changed"},
		{"too short", own, "courier_a.webhook_secret", sealed[:idBytes-1], "too short"},
		{"empty", own, "courier_a.webhook_secret", nil, "too short"},
	}
	for _, tt := range invalid {
		if _, err := tt.sealer.Open(tt.secret, tt.sealed); err == nil || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s: got error %v, want one with %q", tt.name, err, tt.message)
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
