package plugin

import (
	"context"
	"time"

	"storefront/shop/money"
)

// CourierAccount reports the merchant's account at a courier. Its errors are a [Courier]'s.
type CourierAccount interface {
	// Balance returns the courier's debt to the merchant, in minor units.
	Balance(ctx context.Context, access Access, currency money.Currency) (int64, error)
	// ListPayouts returns the newest payouts, the newest first.
	ListPayouts(ctx context.Context, access Access, currency money.Currency) ([]CourierPayout, error)
}

// CourierPayout is a payout of a courier. Amounts are in minor units.
type CourierPayout struct {
	ID      string
	Amount  int64
	Charges *int64    // deducted; nil if not reported
	Method  string    // the courier's term, such as bank; "" if not reported
	Status  string    // the courier's term; "" if not reported
	At      time.Time // time of payment, otherwise of creation; zero if not reported
}
