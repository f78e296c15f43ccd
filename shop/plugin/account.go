package plugin

import (
	"context"
	"time"

	"storefront/shop/money"
)

// CourierAccount reports the merchant's account at a courier. Its errors are those of a [Courier].
type CourierAccount interface {
	// Balance returns what the courier owes to the merchant, in minor units.
	Balance(ctx context.Context, access Access, currency money.Currency) (int64, error)
	// ListPayouts returns the newest payouts, the newest first.
	ListPayouts(ctx context.Context, access Access, currency money.Currency) ([]CourierPayout, error)
}

// CourierPayout is a payout of a courier. Amounts are in minor units.
type CourierPayout struct {
	ID      string
	Amount  int64
	Charges *int64    // deducted; nil: not reported
	Method  string    // the courier's word, such as bank; "": not reported
	Status  string    // the courier's word; "": not reported
	At      time.Time // paid, otherwise created; zero: not reported
}
