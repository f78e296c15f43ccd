package shop

import (
	"cmp"
	"context"

	"storefront/db"
	"storefront/shop/district"
	"storefront/shop/order"
	"storefront/shop/status"
)

// StoreFront is the public configuration of the shop for a storefront.
type StoreFront struct {
	UID      string  `json:"uid"`
	Name     string  `json:"name"`
	Currency string  `json:"currency" doc:"ISO 4217"`
	Country  string  `json:"country" doc:"ISO 3166, two letters"`
	Locale   string  `json:"locale" doc:"BCP 47"`
	TimeZone string  `json:"timeZone" doc:"Name in the IANA database, such as Asia/Dhaka"`
	LogoURL  *string `json:"logoUrl"`

	DeliveryCharges []order.DeliveryCharge `json:"deliveryCharges" nullable:"false"`

	SupportContact SupportContact         `json:"supportContact"`
	LegalPolicies  []LegalPolicy          `json:"legalPolicies" nullable:"false"`
	Pages          []TextPage             `json:"pages" nullable:"false"`
	SocialLinks    []SocialLink           `json:"socialLinks" nullable:"false"`
	PaymentMethods []status.PaymentMethod `json:"paymentMethods" nullable:"false" doc:"Payment methods available for an order"`

	Seller       Seller  `json:"seller"`
	Announcement *string `json:"announcement" doc:"Line to show above every page"`
}

// Seller is the legal identity of the shop, which a storefront must show.
type Seller struct {
	LegalName    string  `json:"legalName"`
	Registration *string `json:"registration" doc:"Trade licence or registration with its number"`
}

// StoreFront returns the public configuration of the shop for a storefront.
func (s *Shop) StoreFront(ctx context.Context) (*StoreFront, error) {
	set, plugins, err := s.loadPlugins(ctx)
	if err != nil {
		return nil, err
	}
	checkout := order.CheckoutSettings{Settings: set.orders, Online: plugins.online}
	front := &StoreFront{
		UID: s.UID(), Name: set.Name, Currency: set.Currency, Country: set.Country, Locale: set.Locale,
		TimeZone: set.timeZone(),
		LogoURL: db.NullText(
			set.logo.URL,
		), DeliveryCharges: set.orders.ShownCharges(), SupportContact: set.SupportContact,
		LegalPolicies: db.OrEmpty(set.LegalPolicies), Pages: db.OrEmpty(set.Pages), SocialLinks: db.OrEmpty(set.SocialLinks),
		PaymentMethods: checkout.PaymentMethods(), Announcement: db.NullText(set.Site.Announcement),
		Seller: Seller{LegalName: cmp.Or(set.Invoice.LegalName, set.Name), Registration: db.NullText(set.Invoice.Registration)},
	}
	return front, nil
}

// Districts are the districts that delivery charges recognize in the city of an address.
type Districts struct {
	Nodes []district.District `json:"nodes" nullable:"false" doc:"Empty for shops outside of Bangladesh"`
}

// ListDistricts returns the districts of the shop's country.
func (s *Shop) ListDistricts(ctx context.Context) (*Districts, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	if set.Country != "BD" {
		return &Districts{Nodes: []district.District{}}, nil
	}
	return &Districts{Nodes: district.Bangladesh()}, nil
}
