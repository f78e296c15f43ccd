package tenants_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// Earlier versions could store a coupon's product twice, since the null in the unique key differed
// from itself.
func TestSteps_CouponScopes(t *testing.T) {
	t.Parallel()
	dir, steps := t.TempDir(), tenants.Steps()
	step := slices.IndexFunc(steps, func(s db.Step) bool { return s.Name == "primary key of coupon scopes" })
	createShop(t, dir, sqlite.Options{Schema: readOldest(t)})
	before := openStore(t, dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: steps[:step]})
	err := before.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		for _, statement := range []string{
			`INSERT INTO products (id, number, handle, status, title, title_key, description_html, vendor, type, options, seo_title,
				seo_description, metadata, price, price_max, on_sale, created_at, updated_at)
			VALUES ('p1', 1, 'a', 'active', 'A', 'a', '', '', '', '[]', '', '', '{}', 0, 0, 0, 1, 1)`,
			`INSERT INTO collections (id, handle, title, title_key, description_html, image_url, image_alt, position, created_at, updated_at)
			VALUES ('c1', 'b', 'B', 'b', '', '', '', 0, 1, 1)`,
			`INSERT INTO coupons (id, code, code_key, kind, scoped, created_at, updated_at) VALUES ('k1', 'FREE', 'FREE', 'free_delivery', 1, 1, 1)`,
			`INSERT INTO coupon_scopes (coupon_id, product_id) VALUES ('k1', 'p1'), ('k1', 'p1')`,
			`INSERT INTO coupon_scopes (coupon_id, collection_id) VALUES ('k1', 'c1')`,
		} {
			if err := tx.Do(statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := before.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	after := openStore(t, dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: steps})
	defer after.Close(context.Background())
	var got []string
	err = after.View(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		got, err = db.Query(tx, db.ScanText, `
			SELECT coupon_id || ' ' || scope_id || ' ' || COALESCE(product_id, '-') || ' ' || COALESCE(collection_id, '-')
			FROM coupon_scopes
			ORDER BY scope_id`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"k1 c1 - c1", "k1 p1 p1 -"}, got); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
}
