package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/sqlite"
)

// shipper copies nothing and calls attached for each attached file.
type shipper struct{ attached func() }

func (s shipper) Attach(db.ID, string) error      { s.attached(); return nil }
func (s shipper) Changed(db.ID)                   {}
func (s shipper) Detach(db.ID)                    {}
func (s shipper) Shipped(db.ID, string) time.Time { return time.Time{} }

// Ship returns when its context ends and does not open the remaining shops.
func TestShip_Cancelled(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	s := openStore(t, t.TempDir(), sqlite.Options{Shipper: shipper{attached: stop}})
	const shops = 20
	for i := range shops {
		create(t, s, db.ID(fmt.Sprintf("shop-%d", i)))
	}
	if err := s.Ship(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Ship: got %v, want context.Canceled", err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if opened := s.Stats().Opened; opened == 0 || opened > shops/2 {
		t.Errorf("opened %d of %d shops after the cancellation, want only those already started", opened, shops)
	}
}
