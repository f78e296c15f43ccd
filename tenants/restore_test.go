package tenants_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// backUp backs a shop up and returns the path of the backup.
func backUp(t *testing.T, all *tenants.Tenants, uid string) string {
	t.Helper()
	dir := t.TempDir()
	b, err := all.Backup(t.Context(), uid, dir)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, b.File)
}

// register creates an account and returns its caller.
func register(t *testing.T, s *shop.Shop, email string) access.Caller {
	t.Helper()
	auth, err := s.Accounts.Register(t.Context(), access.Caller{},
		account.RegisterInput{Name: "Buyer", Email: &email, Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}
	return access.Caller{Bearer: auth.AccessToken}
}

// secretOf returns the webhook secret of courier_a, or "" if it is not configured.
func secretOf(t *testing.T, s *shop.Shop) string {
	t.Helper()
	settings, _, err := s.Orders.CourierTestCall(t.Context(), access.Operator(), plugin.CourierA, "")
	if fault.HasCode(err, fault.CodeStateConflict) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return settings["webhook_secret"]
}

func configureCourier(t *testing.T, s *shop.Shop) {
	t.Helper()
	_, err := s.ConfigurePlugin(t.Context(), access.Caller{Operator: true}, plugin.CourierA, shoptest.Raw(t, map[string]any{"webhook_secret": "chosen"}))
	if err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, all *tenants.Tenants, uid string) *shop.Shop {
	t.Helper()
	s, err := all.FindIncludingSuspended(t.Context(), uid)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRestore_InPlace(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	all := open(t, "", nil)
	s := create(t, all, "acme")
	configureCourier(t, s)
	early := register(t, s, "early@example.com")
	file := backUp(t, all, "acme")
	late := register(t, s, "late@example.com")

	done, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	if done.UID != "acme" || done.Replaced == nil || len(done.Faults) > 0 {
		t.Errorf("got %+v, want acme replaced without faults", done)
	}
	s = find(t, all, "acme")
	if _, err := s.Accounts.Me(t.Context(), early); err != nil {
		t.Errorf("account in the backup: got %v", err)
	}
	_, err = s.Accounts.Me(t.Context(), late)
	wantCode(t, err, fault.CodeTokenInvalid)
	if got := secretOf(t, s); got != "chosen" {
		t.Errorf("courier's secret: got %q, want chosen", got)
	}

	// The replaced file is retained and can be restored.
	if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: *done.Replaced, Of: "acme"}); err != nil {
		t.Fatal(err)
	}
	if _, err := find(t, all, "acme").Accounts.Me(t.Context(), late); err != nil {
		t.Errorf("account in the replaced file: got %v", err)
	}
	// A deleted shop can be restored.
	if err := all.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	done, err = all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme"})
	if err != nil || done.Replaced != nil {
		t.Fatalf("restore of a deleted shop: got %+v, %v", done, err)
	}
	if _, err := find(t, all, "acme").Accounts.Me(t.Context(), early); err != nil {
		t.Errorf("account of a deleted shop: got %v", err)
	}
}

func TestRestore_Clone(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	s := create(t, all, "acme")
	configureCourier(t, s)
	buyer := register(t, s, "buyer@example.com")
	apiKey, _, err := s.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "panel"})
	if err != nil {
		t.Fatal(err)
	}
	if err := setDomains(t, all, "acme", "acme.example"); err != nil {
		t.Fatal(err)
	}
	if err := all.Suspend(t.Context(), access.Operator(), "acme", shop.Suspension{Reason: "Unpaid."}); err != nil {
		t.Fatal(err)
	}
	file := backUp(t, all, "acme")
	if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", As: "acme-copy"}); err != nil {
		t.Fatal(err)
	}
	_, err = all.Shop(t.Context(), "acme-copy")
	wantCode(t, err, fault.CodeTenantSuspended)
	clone := find(t, all, "acme-copy")
	settings, err := clone.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if settings.ActiveMode != plugin.Sandbox || settings.Name != "Shop acme" {
		t.Errorf("got settings %+v, want sandbox mode and the name Shop acme", settings)
	}
	if len(settings.Domains)+len(settings.ConfirmedDomains) > 0 || settings.Suspension != nil {
		t.Errorf("got %v, confirmed %v, suspension %+v, want none of the original's", settings.Domains, settings.ConfirmedDomains, settings.Suspension)
	}
	_, err = clone.Accounts.Me(t.Context(), buyer)
	wantCode(t, err, fault.CodeTokenInvalid)
	wantCode(t, clone.Staff.CheckAPIKey(t.Context(), apiKey, access.OrdersWrite), fault.CodeUnauthenticated)
	if _, err := clone.Accounts.Login(t.Context(), access.Caller{},
		account.LoginInput{User: "buyer@example.com", Password: "correct horse battery"}); err != nil {
		t.Errorf("account of the clone: got %v", err)
	}
	if got := secretOf(t, clone); got != "chosen" {
		t.Errorf("courier's secret of the clone: got %q, want chosen", got)
	}
	keys := func(s *shop.Shop) (ids []string) {
		list, err := s.Accounts.SigningKeys(t.Context(), access.Operator())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			ids = append(ids, k.ID)
		}
		return ids
	}
	if a, b := keys(s), keys(clone); len(b) != 1 || slices.Contains(a, b[0]) {
		t.Errorf("got signing keys %v, and %v of the clone, want one new key", a, b)
	}

	// The original is unchanged, and a UID in use is rejected.
	if _, err := find(t, all, "acme").Accounts.Me(t.Context(), buyer); err != nil {
		t.Errorf("account of the original: got %v", err)
	}
	if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", As: "acme-copy"}); !errors.Is(err, db.ErrExists) {
		t.Errorf("UID in use: got %v, want db.ErrExists", err)
	}
	_, err = all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", As: "../copy"})
	wantCode(t, err, fault.CodeValidationFailed)
}

// A backup of another data folder needs that folder's key, or its secrets are dropped.
func TestRestore_OtherKey(t *testing.T) {
	t.Parallel()
	from := open(t, "", nil)
	s := create(t, from, "acme")
	configureCourier(t, s)
	buyer := register(t, s, "buyer@example.com")
	file := backUp(t, from, "acme")

	all := open(t, "", nil)
	if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme"}); !errors.Is(err, tenants.ErrOtherKey) {
		t.Errorf("got error %v, want ErrOtherKey", err)
	}
	if uids, err := all.UIDs(t.Context()); err != nil || len(uids) > 0 {
		t.Errorf("got shops %v, %v, want none", uids, err)
	}
	if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", DropSecrets: true}); err != nil {
		t.Fatal(err)
	}
	s = find(t, all, "acme")
	_, err := s.Accounts.Me(t.Context(), buyer)
	wantCode(t, err, fault.CodeTokenInvalid)
	if _, err := s.Accounts.Login(t.Context(), access.Caller{},
		account.LoginInput{User: "buyer@example.com", Password: "correct horse battery"}); err != nil {
		t.Errorf("sign-in by password, which needs no key: got %v", err)
	}
	if got := secretOf(t, s); got != "" {
		t.Errorf("courier's secret: got %q, want none", got)
	}
}

// The key of a lost machine is installed in a new data folder, used or unused, before its shops are
// restored.
func TestRestore_NewMachine(t *testing.T) {
	dbtest.NeedFiles(t, "a database records its key, a new folder of files has none")
	t.Parallel()
	lost := t.TempDir()
	from := open(t, lost, nil)
	create(t, from, "acme")
	file := backUp(t, from, "acme")

	dir := t.TempDir()
	if err := open(t, dir, nil).Close(t.Context()); err != nil { // creates a key of its own
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(lost, "key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir, nil).Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme"}); err != nil {
		t.Fatal(err)
	}
	find(t, open(t, dir, nil), "acme")
}

// A rejected backup changes nothing and leaves no files.
func TestRestore_Invalid(t *testing.T) {
	dbtest.NeedFiles(t, "it damages the file of a backup")
	t.Parallel()
	dir := t.TempDir()
	all := open(t, dir, nil)
	buyer := register(t, create(t, all, "acme"), "buyer@example.com")
	file := backUp(t, all, "acme")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before := list(t, dir)
	write := func(name string, content []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	damaged := slices.Clone(whole)
	for i := len(damaged) / 2; i < len(damaged)/2+20_000; i++ {
		damaged[i] ^= 0x55
	}
	for name, tt := range map[string]struct {
		file string
		want error
	}{
		"damaged":  {write("damaged.db", damaged), db.ErrCorrupt},
		"cut":      {write("cut.db", whole[:len(whole)/2]), db.ErrCorrupt},
		"junk":     {write("junk.db", []byte("not a database, but long enough to be read by the engine")), db.ErrCorrupt},
		"empty":    {write("empty.db", nil), db.ErrNotTenantFile},
		"nothing":  {filepath.Join(dir, "nothing.db"), os.ErrNotExist},
		"a folder": {t.TempDir(), nil},
	} {
		_, err := all.Restore(t.Context(), tenants.RestoreOptions{File: tt.file, Of: "acme"})
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: got error %v, want %v", name, err, tt.want)
		}
	}
	if diff := cmp.Diff(before, list(t, dir)); diff != "" {
		t.Errorf("files of the data folder (-before +after):\n%s", diff)
	}
	if _, err := find(t, all, "acme").Accounts.Me(t.Context(), buyer); err != nil {
		t.Errorf("account of the existing shop: got %v", err)
	}
}

// list returns the paths of all files below dir.
func list(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
