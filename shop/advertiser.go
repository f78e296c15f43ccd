package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/conversion"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// newConversions returns the events of a new shop to advertisers.
func newConversions(s *Shop, cfg Config) *conversion.Conversions {
	runner := cfg.Conversions
	if runner == nil {
		runner = conversion.NewRunner()
	}
	return conversion.New(conversion.Config{
		Data: s.data, Now: s.now, IDs: s.ids, Log: s.log, Secrets: s.secrets, Runner: runner, Senders: cfg.Advertisers, IsWorking: s.isWorking,
		Record: s.recordAdvertiser, Replaced: deleteConnection,
		Settings: func(tx *db.Tx) (*conversion.ShopSettings, error) {
			set, err := findSettings(tx)
			if err != nil {
				return nil, err
			}
			found := &conversion.ShopSettings{Settings: set.Advertising, Home: set.StorefrontURL}
			found.Currency, _ = money.ParseCurrency(set.Currency)
			if host := newSite(&set, catalogue.Logo{}).Host; host != "" && set.Site.IsEnabled() {
				found.Home = "https://" + host + "/"
			}
			return found, nil
		},
	})
}

// recordAdvertiser records whether a receiver works with its settings. The refusal of one event
// proves nothing about the account, and neither does an event that was not sent.
func (s *Shop) recordAdvertiser(ctx context.Context, receiver conversion.Receiver, isTest bool, a conversion.Answer) {
	r := connectionRow{connectionKey: connectionKey{string(receiver), plugin.Live}, words: a.Problem}
	switch {
	case a.Verdict == conversion.Accepted:
		r.state, r.words = ConnectionWorks, ""
	case a.Account || isTest && a.Verdict == conversion.Refused:
		r.state = ConnectionRefused
	case a.Verdict == conversion.Refused:
		return
	default:
		r.state = ConnectionUnreached
	}
	s.recordConnection(ctx, r, isTest, false)
}
