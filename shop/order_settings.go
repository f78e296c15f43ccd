package shop

import (
	"time"

	"storefront/shop/catalogue"
	"storefront/shop/message"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// OrderSettings are the settings of the shop that orders depend on. Create them with
// [NewOrderSettings].
type OrderSettings struct {
	OrderLimits
	Display
	Country           string // ISO 3166; also the region of local phone numbers
	Zone              *time.Location
	StorefrontURL     string // "" means a plain page of the server
	DeliveryCharges   []DeliveryOption
	ActiveMode        plugin.Mode
	AutoConfirm       bool       // confirm cash orders when they are placed
	CashRounding      int64      // unit of cash totals, in minor units; 0 means the currency's default
	CashForBadRecords CashPolicy // "" means CashAllow
	BuyerMessages     message.Settings

	areas []areaKeys // of the delivery charges
}

// NewOrderSettings completes settings with the values that are computed once for many orders.
func NewOrderSettings(set OrderSettings) *OrderSettings {
	set.areas = newAreaKeys(&set)
	return &set
}

// CheckoutSettings are the settings for pricing and paying orders.
type CheckoutSettings struct {
	*OrderSettings
	// Online holds the gateways that are ready, each with a function that reports whether it accepts
	// an amount in minor units.
	Online map[status.PaymentMethod]func(amount int64) bool
}

// Display is the format of amounts and uploaded images of the shop.
type Display struct {
	money.Currency
	Media catalogue.MediaAddress
}
