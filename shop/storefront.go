package shop

import (
	"cmp"
	"context"

	"storefront/db"
	"storefront/shop/district"
	"storefront/shop/locale"
	"storefront/shop/order"
	"storefront/shop/status"
	"storefront/shop/translation"
)

// StoreFront is the public configuration of the shop for a storefront.
type StoreFront struct {
	UID      string `json:"uid"`
	Name     string `json:"name"`
	Currency string `json:"currency" doc:"ISO 4217"`
	Country  string `json:"country" doc:"ISO 3166, two letters"`
	Locale   string `json:"locale" doc:"BCP 47"`
	// Languages are the values of lang for the texts of the shop.
	Languages []locale.Language `json:"languages" nullable:"false" doc:"Languages of the shop's texts, for lang; its own first"`
	TimeZone  string            `json:"timeZone" doc:"Name in the IANA database, such as Asia/Dhaka"`
	LogoURL   *string           `json:"logoUrl"`

	DeliveryCharges []order.DeliveryCharge `json:"deliveryCharges" nullable:"false"`

	SupportContact SupportContact         `json:"supportContact"`
	LegalPolicies  []LegalPolicy          `json:"legalPolicies" nullable:"false"`
	Pages          []TextPage             `json:"pages" nullable:"false"`
	SocialLinks    []SocialLink           `json:"socialLinks" nullable:"false"`
	PaymentMethods []status.PaymentMethod `json:"paymentMethods" nullable:"false" doc:"Payment methods available for an order"`

	Seller       Seller  `json:"seller"`
	Announcement *string `json:"announcement" doc:"Line to show above every page"`

	IncompleteOrders *order.IncompleteNotice `json:"incompleteOrders" doc:"What buyers agree to before saveIncompleteOrder; null if nothing is stored"`
}

// Seller is the legal identity of the shop, which a storefront must show.
type Seller struct {
	LegalName    string  `json:"legalName"`
	Registration *string `json:"registration" doc:"Trade licence or registration with its number"`
}

// StoreFront returns the public configuration of the shop for a storefront, with texts in the
// language of a tag as of [Shop.CatalogueIn]. Codes: validation_failed.
func (s *Shop) StoreFront(ctx context.Context, lang string) (*StoreFront, error) {
	set, plugins, err := s.loadPlugins(ctx)
	if err != nil {
		return nil, err
	}
	language, err := set.languageOf(lang)
	if err != nil {
		return nil, err
	}
	checkout := order.CheckoutSettings{Settings: set.orders, Online: plugins.online}
	front := &StoreFront{
		UID: s.UID(), Name: set.Name, Currency: set.Currency, Country: set.Country, Locale: set.Locale, Languages: set.site.Languages,
		TimeZone: set.timeZone(),
		LogoURL: db.NullText(
			set.logo.URL,
		), DeliveryCharges: set.orders.ShownCharges(language), SupportContact: set.SupportContact,
		LegalPolicies: db.OrEmpty(set.LegalPolicies), Pages: db.OrEmpty(set.Pages), SocialLinks: db.OrEmpty(set.SocialLinks),
		PaymentMethods: checkout.PaymentMethods(), Announcement: db.NullText(set.Site.Announcement),
		Seller: Seller{LegalName: cmp.Or(set.Invoice.LegalName, set.Name), Registration: db.NullText(set.Invoice.Registration)},
	}
	front.IncompleteOrders = set.IncompleteOrders.NoticeIn(cmp.Or(language, set.language()), set.textsIn(language)[incompleteNotice])
	if language != "" {
		front.translate(set.translations, language)
		texts := set.textsIn(language)
		front.Announcement = translated(texts, "announcement", front.Announcement)
		front.SupportContact = front.SupportContact.in(texts)
		front.Seller = Seller{LegalName: texts.Or("legalName", front.Seller.LegalName),
			Registration: translated(texts, "registration", front.Seller.Registration)}
	}
	return front, nil
}

// translate replaces the texts that are translated into a language.
func (f *StoreFront) translate(texts settingTexts, language locale.Language) {
	f.LegalPolicies = texts.translateTexts(translation.Policy, f.LegalPolicies, language)
	pages := make([]LegalPolicy, len(f.Pages))
	for i, p := range f.Pages {
		pages[i] = LegalPolicy(p)
	}
	pages = texts.translateTexts(translation.Page, pages, language)
	f.Pages = make([]TextPage, len(pages))
	for i, p := range pages {
		f.Pages[i] = TextPage(p)
	}
}

// translated returns the translation of a text, or the text; nil means that there is no text.
func translated(texts translation.Texts, field string, text *string) *string {
	if translation := texts[field]; text != nil && translation != "" {
		return &translation
	}
	return text
}

// in returns the contact with its texts in a language.
func (c SupportContact) in(texts translation.Texts) SupportContact {
	c.Address = translated(texts, translation.Address, c.Address)
	return c
}

// ListDiscounts returns the automatic discounts that buyers can get now, with their titles in a
// language. Codes: validation_failed.
func (s *Shop) ListDiscounts(ctx context.Context, lang string) (*order.Discounts, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	language, err := set.languageOf(lang)
	if err != nil {
		return nil, err
	}
	return s.Orders.ListDiscounts(ctx, language)
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
