package tenants

import (
	"context"
	"testing"
	"time"

	"storefront/replica"
	"storefront/shop/shoptest"
)

// The files of unused images outlive the oldest moment to which the replica can restore a shop.
func TestImages_OutliveReplica(t *testing.T) {
	t.Parallel()
	target, err := replica.ParseTarget(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	clock := shoptest.NewClock()
	const retention = 90 * 24 * time.Hour
	all, err := Open(Config{
		Dir: t.TempDir(), Schema: shoptest.Schema(t), Now: clock.Now, Replica: &replica.Config{Target: target, Retention: retention},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Close(context.Background()) })
	if _, err := all.Create(t.Context(), "acme", shoptest.Raw(t, map[string]any{"name": "Acme", "currency": "BDT", "country": "BD"})); err != nil {
		t.Fatal(err)
	}
	img := addImage(t, all, "acme", 300)
	acme, err := all.Shop(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	sweep := func() {
		t.Helper()
		if _, err := acme.Catalogue.SweepMedia(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sweep() // nothing shows it
	clock.Advance(retention)
	sweep()
	wantImages(t, "as long as the replica", all.album("acme"), img)
	clock.Advance(7 * 24 * time.Hour)
	sweep()
	wantImages(t, "later", all.album("acme"))
}
