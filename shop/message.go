package shop

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"storefront/shop/locale"
	"storefront/shop/message"
)

// messageShop returns what messages to buyers depend on of the settings.
func (s *Shop) messageShop(ctx context.Context) (*message.Shop, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return &message.Shop{
		Settings: set.BuyerMessages, Name: set.Name, Language: set.messageLanguage(),
		Currency: set.money, Logo: set.logo.URL, OrderLink: set.orderLink, OwnLink: set.ownLink,
		HasPages: set.Site.IsEnabled(), Plan: set.Plan, Zone: set.zone,
		FindPictures: set.orders.FindPictures,
	}, nil
}

// messageLanguage returns the language of messages about orders.
func (set *Settings) messageLanguage() locale.Language {
	return cmp.Or(set.BuyerMessages.Language, set.language())
}

// orderLink returns the address of the order's page, in the shop's storefront or at the server,
// without its token: the page is masked.
func (set *cachedSettings) orderLink(invoiceUID string) string {
	page := cmp.Or(set.elsewhere(set.TrackingURL), set.elsewhere(set.StorefrontURL))
	address, err := url.Parse(page)
	if page == "" || err != nil {
		return set.orderPage + invoiceUID
	}
	query := address.Query()
	query.Set("order", invoiceUID)
	address.RawQuery = query.Encode()
	return address.String()
}

// elsewhere returns the address of a page outside the shop's own site. It is "" for a page on the
// site, which has a page for each order.
func (set *cachedSettings) elsewhere(page string) string {
	address, err := url.Parse(page)
	if err == nil && set.Site.IsEnabled() && slices.Contains(set.Domains, strings.ToLower(address.Hostname())) {
		return ""
	}
	return page
}

// ownLink returns the address at which an order is paid or reviewed, with its token.
func (set *cachedSettings) ownLink(invoiceUID, token string) string {
	return set.orderPage + invoiceUID + "?k=" + token
}
