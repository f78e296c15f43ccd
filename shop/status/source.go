package status

// Source is where a buyer has placed an order.
//
//api:enum OrderSource
type Source string

// The sources. Those other than the storefront are orders that staff have entered.
const (
	SourceStorefront Source = "storefront" // the shop's site or app
	SourcePhone      Source = "phone"      // by phone
	SourceFacebook   Source = "facebook"   // Facebook
	SourceInstagram  Source = "instagram"  // Instagram
	SourceWhatsApp   Source = "whatsapp"   // WhatsApp
	SourceShop       Source = "shop"       // over the counter
	SourceOther      Source = "other"      // elsewhere
)

// Sources returns every source, the storefront first.
func Sources() []Source {
	return []Source{SourceStorefront, SourcePhone, SourceFacebook, SourceInstagram, SourceWhatsApp, SourceShop, SourceOther}
}
