package order

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/money"
)

// Offer is a coupon that the pages of the shop advertise.
type Offer struct {
	Code        string
	Kind        CouponKind
	BasisPoints *int64 // of a percentage
	Amount      *int64 // of a fixed discount, in minor units
	MaxDiscount *int64 // of a percentage, in minor units; nil is unlimited
	MinSubtotal int64  // minor units
	EndsAt      *time.Time
}

// FindOffer returns the coupon with this code or ID while buyers can use it; nil otherwise.
func (s *Orders) FindOffer(ctx context.Context, code string) (offer *Offer, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := findCouponBy(tx, code)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if row.code == "" {
			return nil // an automatic discount needs no advertised code
		}
		if row.refusal(earlierUses{signedIn: true}, tx.Now(), row.minSubtotal, true, money.Currency{}) == nil {
			offer = &Offer{
				Code: row.code, Kind: row.kind, BasisPoints: row.basisPoints, Amount: row.amount,
				MaxDiscount: row.maxDiscount, MinSubtotal: row.minSubtotal, EndsAt: row.endsAt,
			}
		}
		return nil
	})
	return offer, err
}

// NextOffer returns the next time at which an active coupon or automatic discount begins or ends,
// in milliseconds; 0 means never.
func NextOffer(tx *db.Tx) (at int64, err error) {
	now := db.Millis(tx.Now())
	err = tx.QueryRow(`
		SELECT COALESCE(MIN(t.at), 0)
		FROM (
			SELECT MIN(c.starts_at) AS at
			FROM coupons c
			WHERE c.active = 1 AND c.starts_at > ?
			UNION ALL
			SELECT MIN(c.ends_at)
			FROM coupons c
			WHERE c.active = 1 AND c.ends_at > ?
		) t`, now, now).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("find next offer: %w", err)
	}
	return at, nil
}
