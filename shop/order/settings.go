package order

import (
	"time"

	"storefront/db"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/message"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Settings are the settings of the shop that orders depend on. Create them with
// [NewSettings].
type Settings struct {
	Limits
	Display
	Country           string // ISO 3166; also the region of local phone numbers
	Zone              *time.Location
	StorefrontURL     string // "" means a plain page of the server
	DeliveryCharges   []DeliveryOption
	ActiveMode        plugin.Mode
	AutoConfirm       bool       // confirm cash orders when they are placed
	CashRounding      int64      // unit of cash totals, in minor units; 0 means the currency's default
	CashForBadRecords CashPolicy // "" means CashAllow
	Advance           AdvanceSettings
	CourierRecords    bool // buyers are looked up at couriers
	IncompleteOrders  IncompleteSettings
	// Advertised reports whether orders are reported to advertisers, if their buyers consent.
	Advertised    bool
	BuyerMessages message.Settings
	Language      locale.Language // of texts for buyers
	// OrderLink returns the address of the page of an order, without its token.
	OrderLink func(invoiceUID string) string
	// TranslateCharge returns the texts of a delivery charge in a language; "" means that there is no
	// translation. nil means none.
	TranslateCharge func(language locale.Language, id string) (name, estimate string)
	// TranslateDiscount returns the title of an automatic discount in a language, as TranslateCharge.
	TranslateDiscount func(language locale.Language, id string) (title string)

	areas []areaKeys // of the delivery charges
}

// CheckoutSettings are the settings for pricing and paying orders.
type CheckoutSettings struct {
	*Settings
	// Online holds the gateways that are ready, each with a function that reports whether it accepts
	// an amount in minor units.
	Online map[status.PaymentMethod]func(amount int64) bool
}

// Display is the format of amounts and uploaded images of the shop.
type Display struct {
	money.Currency
	Media   catalogue.MediaAddress
	Wallets []Wallet // to which buyers send advances
	// Rates returns the couriers' shares of the collected cash; nil if they are unknown.
	Rates func(tx *db.Tx) cash.Rates
}

// FindPictures returns a small file of each uploaded image, by the URL that orders store.
func (d Display) FindPictures(tx *db.Tx, stored []string) (map[string]message.Picture, error) {
	files, err := catalogue.FindPictures(tx, d.Media, stored)
	if err != nil {
		return nil, err
	}
	pictures := make(map[string]message.Picture, len(files))
	for at, file := range files {
		pictures[at] = message.Picture{URL: file.URL, Width: file.Width, Height: file.Height}
	}
	return pictures, nil
}

// NewSettings completes settings with the values that are computed once for many orders.
func NewSettings(set Settings) *Settings {
	set.areas = newAreaKeys(&set)
	if set.TranslateCharge == nil {
		set.TranslateCharge = func(locale.Language, string) (name, estimate string) { return "", "" }
	}
	if set.TranslateDiscount == nil {
		set.TranslateDiscount = func(locale.Language, string) string { return "" }
	}
	return &set
}
