package tenants_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// movedShop is the access to a shop that moves.
type movedShop struct {
	totp     string // secret
	session  access.Caller
	key      string
	customer access.Caller
}

func createMoved(t *testing.T, from *tenants.Tenants) (m movedShop) {
	t.Helper()
	s, ctx, operator := create(t, from, "acme"), t.Context(), access.Operator()
	_, link, err := s.Staff.InviteMember(ctx, operator, staff.InviteInput{Name: "Rina", Email: new("rina@example.com"), Role: staff.RoleOwner})
	if err != nil {
		t.Fatal(err)
	}
	signedIn, err := s.Staff.UseLink(ctx, access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	m.session = access.Caller{Session: signedIn.Token}
	setup, err := s.Staff.StartTOTP(ctx, m.session)
	if err != nil {
		t.Fatal(err)
	}
	m.totp = setup.Secret
	if _, err := s.Staff.ConfirmTOTP(ctx, m.session, shoptest.TOTPCode(t, m.totp, time.Now().Add(-30*time.Second))); err != nil {
		t.Fatal(err)
	}
	if m.key, _, err = s.Staff.CreateAPIKey(ctx, operator, staff.APIKeyInput{Label: "till"}); err != nil {
		t.Fatal(err)
	}
	registered, err := s.Accounts.Register(ctx, access.Caller{},
		account.RegisterInput{Name: "Rahima", Email: new("rahima@example.com"), Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	m.customer = access.Caller{Bearer: registered.AccessToken}
	return m
}

func publicKey(t *testing.T, all *tenants.Tenants) *tenants.PublicKey {
	t.Helper()
	key, err := all.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := tenants.ParsePublicKey(key.String() + "\n")
	if err != nil || parsed.Fingerprint() != key.Fingerprint() {
		t.Fatalf("got %v, %v, want the same key", parsed, err)
	}
	return parsed
}

// A shop moves to another server with its secrets, and nobody is signed out.
func TestBackupFor(t *testing.T) {
	t.Parallel()
	from, to, third := open(t, "", nil), open(t, "", nil), open(t, "", nil)
	ctx := t.Context()
	m := createMoved(t, from)
	dir := t.TempDir()
	b, err := from.BackupFor(ctx, "acme", dir, publicKey(t, to))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, b.File)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"rahima@example.com", "Rina", "acme", m.totp} {
		if bytes.Contains(content, []byte(text)) {
			t.Errorf("got %q in the sealed file", text)
		}
	}

	if _, err := third.Restore(ctx, tenants.RestoreOptions{File: file}); !errors.Is(err, tenants.ErrSealedFor) {
		t.Errorf("third server: got %v, want %v", err, tenants.ErrSealedFor)
	}
	if _, err := from.Restore(ctx, tenants.RestoreOptions{File: file, As: "acme-two"}); !errors.Is(err, tenants.ErrSealedFor) {
		t.Errorf("sender: got %v, want %v", err, tenants.ErrSealedFor)
	}
	// Each kind of damage: a changed header, chunk and signature, and truncation, also between chunks.
	newline := bytes.IndexByte(content, '\n')
	for name, damaged := range map[string][]byte{
		"header": bytes.Replace(content, []byte(`"encapsulated":"`), []byte(`"encapsulated":"A`), 1),
		"chunk":  flipped(content, newline+200), "signature": flipped(content, len(content)-5), "length": flipped(content, newline+1),
		"truncated": content[:len(content)-1], "without the signature": content[:len(content)-lastChunk(content, newline+1)],
		"appended": append(bytes.Clone(content), content[len(content)-lastChunk(content, newline+1):]...), "only the header": content[:newline+1],
	} {
		path := filepath.Join(t.TempDir(), "acme.sealed")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := to.Restore(ctx, tenants.RestoreOptions{File: path}); err == nil || !strings.Contains(err.Error(), "changed or truncated") {
			t.Errorf("%s: got %v, want an error", name, err)
		}
	}
	if _, err := to.Restore(ctx, tenants.RestoreOptions{File: file, From: publicKey(t, third).String()}); err == nil {
		t.Error("another sender: got no error")
	}
	if _, err := to.Shop(ctx, "acme"); !fault.HasCode(err, fault.CodeTenantNotFound) {
		t.Errorf("after refused restores: got %v, want no shop", err)
	}

	done, err := to.Restore(ctx, tenants.RestoreOptions{File: file, From: publicKey(t, from).String()})
	if err != nil {
		t.Fatal(err)
	}
	if done.SealedBy == nil || *done.SealedBy != publicKey(t, from).Fingerprint() {
		t.Errorf("got sender %v, want the first server", done.SealedBy)
	}
	s := find(t, to, "acme")
	if err := s.CheckSecrets(ctx); err != nil {
		t.Errorf("secrets: got %v", err)
	}
	if _, err := s.Staff.FindSession(ctx, m.session); err != nil {
		t.Errorf("session: got %v", err)
	}
	if _, err := s.Staff.Identify(ctx, access.Caller{Bearer: m.key}); err != nil {
		t.Errorf("API key: got %v", err)
	}
	if _, err := s.Accounts.Me(ctx, m.customer); err != nil {
		t.Errorf("customer's token: got %v", err)
	}
	in := staff.SignInInput{User: "rina@example.com", Password: shoptest.Password, Code: new(shoptest.TOTPCode(t, m.totp, time.Now()))}
	if _, err := s.Staff.SignIn(ctx, access.Caller{}, in); err != nil {
		t.Errorf("second factor: got %v", err)
	}

	// A clone from it lets nobody in, as any other.
	if _, err := to.Restore(ctx, tenants.RestoreOptions{File: file, As: "acme-two"}); err != nil {
		t.Fatal(err)
	}
	_, err = find(t, to, "acme-two").Staff.FindSession(ctx, m.session)
	wantCode(t, err, fault.CodeUnauthenticated)
}

// flipped returns a copy of content with one bit changed.
func flipped(content []byte, at int) []byte {
	changed := bytes.Clone(content)
	changed[at] ^= 1
	return changed
}

// lastChunk returns the length of the last chunk of a sealed file, whose first begins at begin.
func lastChunk(content []byte, begin int) int {
	for {
		size := 4 + int(content[begin])<<24 + int(content[begin+1])<<16 + int(content[begin+2])<<8 + int(content[begin+3])
		if begin+size == len(content) {
			return size
		}
		begin += size
	}
}

// The sessions of an older file may have ended since.
func TestBackupFor_Old(t *testing.T) {
	t.Parallel()
	later := time.Now().Add(25 * time.Hour)
	from := open(t, "", nil)
	to := open(t, "", func(cfg *tenants.Config) { cfg.Now = func() time.Time { return later } })
	m := createMoved(t, from)
	dir := t.TempDir()
	b, err := from.BackupFor(t.Context(), "acme", dir, publicKey(t, to))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := to.Restore(t.Context(), tenants.RestoreOptions{File: filepath.Join(dir, b.File)}); err != nil {
		t.Fatal(err)
	}
	_, err = find(t, to, "acme").Staff.FindSession(t.Context(), m.session)
	wantCode(t, err, fault.CodeUnauthenticated)
}
