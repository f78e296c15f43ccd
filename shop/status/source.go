package status

// Source is where a buyer has placed an order.
type Source string

// The sources. Those other than the storefront are orders that staff have entered.
const (
	SourceStorefront Source = "storefront"
	SourcePhone      Source = "phone"
	SourceFacebook   Source = "facebook"
	SourceInstagram  Source = "instagram"
	SourceWhatsApp   Source = "whatsapp"
	SourceShop       Source = "shop" // over the counter
	SourceOther      Source = "other"
)

// Sources returns every source, the storefront first.
func Sources() []Source {
	return []Source{SourceStorefront, SourcePhone, SourceFacebook, SourceInstagram, SourceWhatsApp, SourceShop, SourceOther}
}
