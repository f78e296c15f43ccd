package graphql

import (
	"context"

	"storefront/shop"
	"storefront/shop/locale"
	"storefront/shop/order"
	"storefront/shop/status"
)

// StoreFront returns the shop's public settings.
func (*publicQuery) StoreFront(ctx context.Context, args langArgs) (*storeFront, error) {
	r, done, err := beginRecord(ctx, costOne)
	if err != nil {
		return nil, err
	}
	defer done()
	front, err := r.shop.StoreFront(ctx, orZero(args.Lang))
	if err != nil {
		return nil, err
	}
	return r.storeFront(front), nil
}

// Districts returns the districts of the shop's country.
func (*publicQuery) Districts(ctx context.Context) (*shop.Districts, error) {
	r, done, err := beginRecord(ctx, costOne)
	if err != nil {
		return nil, err
	}
	defer done()
	return r.shop.ListDistricts(ctx)
}

type storeFront struct {
	UID             string
	Name            string
	Currency        string
	Country         string
	Locale          string
	Languages       []string
	TimeZone        string
	LogoURL         *string
	DeliveryCharges []deliveryCharge
	SupportContact  shop.SupportContact
	LegalPolicies   []*legalPolicy
	Pages           []*legalPolicy
	SocialLinks     []shop.SocialLink
	PaymentMethods  []status.PaymentMethod
	Seller          shop.Seller
	Announcement    *string

	IncompleteOrders *incompleteNotice
}

func (r *request) storeFront(f *shop.StoreFront) *storeFront {
	return &storeFront{
		UID: f.UID, Name: f.Name, Currency: f.Currency, Country: f.Country, Locale: f.Locale,
		Languages: convert(f.Languages, func(l *locale.Language) string { return string(*l) }),
		TimeZone:  f.TimeZone, LogoURL: f.LogoURL,
		DeliveryCharges: convert(f.DeliveryCharges, newDeliveryCharge), SupportContact: f.SupportContact,
		LegalPolicies: convert(f.LegalPolicies, r.legalPolicy), Pages: convert(f.Pages, r.textPage),
		SocialLinks: orEmpty(f.SocialLinks), PaymentMethods: orEmpty(f.PaymentMethods),
		Seller: f.Seller, Announcement: f.Announcement, IncompleteOrders: convertNull(f.IncompleteOrders, newIncompleteNotice),
	}
}

type deliveryCharge struct {
	ID        ID
	Name      string
	Charge    moneyValue
	FreeOver  *moneyValue
	Areas     []string
	Countries []string
	Estimate  *string
}

func newDeliveryCharge(d *order.DeliveryCharge) deliveryCharge {
	return deliveryCharge{
		ID: ID(d.ID), Name: d.Name, Charge: newMoney(&d.Charge), FreeOver: convertNull(d.FreeOver, newMoney),
		Areas: orEmpty(d.Areas), Countries: orEmpty(d.Countries), Estimate: d.Estimate,
	}
}

type legalPolicy struct {
	Slug  string
	Title string

	request *request
	html    string
}

func (r *request) legalPolicy(p *shop.LegalPolicy) *legalPolicy {
	return &legalPolicy{Slug: p.Slug, Title: p.Title, request: r, html: p.BodyHTML}
}

func (r *request) textPage(p *shop.TextPage) *legalPolicy {
	return r.legalPolicy((*shop.LegalPolicy)(p))
}

// BodyHTML returns the text, counted by its length.
func (p *legalPolicy) BodyHTML() string { return p.request.text(p.html) }
