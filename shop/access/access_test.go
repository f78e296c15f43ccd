package access_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"testing"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/shoptest"
)

// member is a staff member whose session ends when revoked is set.
type member struct {
	access.Staff
	revoked bool
}

var errRevoked = errors.New("revoked")

func (m *member) Check(*db.Tx) error {
	if m.revoked {
		return errRevoked
	}
	return nil
}

func newData(t *testing.T, who *member) (access.Data, *db.Store) {
	t.Helper()
	store := shoptest.NewStore(t, nil)
	nothing := func(context.Context, *db.Tx) error { return nil }
	if err := store.Create(t.Context(), "test", nothing); err != nil {
		t.Fatal(err)
	}
	authorize := func(context.Context, access.Caller, access.UseCase) (access.Staff, error) {
		return who, nil
	}
	return access.Data{Store: store, ID: "test", Authorize: authorize}, store
}

func insertNote(tx *db.Tx, _ access.Staff) (string, error) {
	_, err := tx.Exec(`INSERT INTO counters (name, value) VALUES ('note', 1)`)
	return "done", err
}

// A use case runs only if its caller is permitted in its own transaction too. Its changes and its
// result are dropped if it fails.
func TestWrite(t *testing.T) {
	t.Parallel()
	who := &member{}
	data, store := newData(t, who)
	count := func() int64 {
		return shoptest.Number(
			t,
			store,
			"test",
			`SELECT COUNT(*) FROM counters WHERE name = 'note'`,
		)
	}
	write := func(fn func(tx *db.Tx, who access.Staff) (string, error)) (string, error) {
		return access.Write(t.Context(), data, access.Operator(), access.ToSetSettings, fn)
	}
	who.revoked = true
	if got, err := write(insertNote); !errors.Is(err, errRevoked) || got != "" || count() != 0 {
		t.Errorf("revoked after authorization: got %q, %v and %d notes", got, err, count())
	}
	who.revoked = false
	errLate := errors.New("late")
	got, err := write(func(tx *db.Tx, who access.Staff) (string, error) {
		done, err := insertNote(tx, who)
		return done, errors.Join(err, errLate)
	})
	if !errors.Is(err, errLate) || got != "" || count() != 0 {
		t.Errorf("failed: got %q, %v and %d notes, want nothing", got, err, count())
	}
	if got, err := write(insertNote); err != nil || got != "done" || count() != 1 {
		t.Errorf("got %q, %v and %d notes, want one", got, err, count())
	}
}

// A use case that reads cannot write.
func TestRead_Write(t *testing.T) {
	t.Parallel()
	data, _ := newData(t, &member{})
	_, err := access.Read(t.Context(), data, access.Operator(), access.ToFindSettings, insertNote)
	if err == nil {
		t.Error("got no error, want a read-only transaction")
	}
}

// The client of an IPv6 address is its customer's network, under which it is logged and blocked.
func TestClient(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"2001:db8::1": "2001:db8::/64", "fe80::1%eth0": "fe80::/64",
	} {
		client := access.ClientOf(netip.MustParseAddr(address))
		again, ok := access.ParseClient(client)
		if client != want || again != want || !ok {
			t.Errorf("%s: got %s, parsed %s, %v, want %s", address, client, again, ok, want)
		}
	}
	for _, text := range []string{"", "x", "192.0.2.0/24", "2001:db8::/48"} {
		if client, ok := access.ParseClient(text); ok {
			t.Errorf("%q: got %s, want no client", text, client)
		}
	}
}

// Every use case has a name of its own, and needs what can be granted or one of the four others.
func TestUseCases(t *testing.T) {
	t.Parallel()
	known := append(
		slices.Concat(access.Permissions(), access.InstallationPermissions()),
		access.OperatorOnly,
		access.Any,
		access.Own,
		access.Anybody,
	)
	names := map[string]bool{}
	for _, use := range access.UseCases() {
		if names[use.Name] || !slices.Contains(known, use.Permission) {
			t.Errorf("%s: got it twice, or the permission %q", use, use.Permission)
		}
		names[use.Name] = true
	}
	if len(names) == 0 {
		t.Error("got no use cases")
	}
}
