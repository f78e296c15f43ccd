package shop

// OrderSource is where a buyer has placed an order.
type OrderSource string

// The sources. Those other than the storefront are orders that staff have entered.
const (
	SourceStorefront OrderSource = "storefront"
	SourcePhone      OrderSource = "phone"
	SourceFacebook   OrderSource = "facebook"
	SourceInstagram  OrderSource = "instagram"
	SourceWhatsApp   OrderSource = "whatsapp"
	SourceShop       OrderSource = "shop" // over the counter
	SourceOther      OrderSource = "other"
)

// OrderSources returns every source, the storefront first.
func OrderSources() []OrderSource {
	return []OrderSource{SourceStorefront, SourcePhone, SourceFacebook, SourceInstagram, SourceWhatsApp, SourceShop, SourceOther}
}
