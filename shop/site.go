package shop

import (
	"cmp"
	"context"

	"storefront/shop/catalogue"
	"storefront/shop/conversion"
	"storefront/shop/locale"
)

// Site are the settings of a shop's pages for buyers.
type Site struct {
	Enabled bool
	// Languages are the languages of the pages, the shop's own first.
	Languages []locale.Language
	Logo      catalogue.Logo
	// Host is the host of the pages, "" if the shop has no domain.
	Host string
	// Advertising are the advertisers of the shop. Pages load their tags after consent.
	Advertising conversion.Settings
	// Media is the origin of the URLs of uploaded images, "" if another server has their files.
	Media string
}

// Site returns the settings of the shop's pages for buyers. Its languages must not be modified.
func (s *Shop) Site(ctx context.Context) (Site, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return Site{}, err
	}
	return set.site, nil
}

func newSite(set *Settings, logo catalogue.Logo) Site {
	site := Site{
		Enabled: set.Site.IsEnabled(), Languages: []locale.Language{set.language()}, Host: set.Site.Host, Logo: logo, Advertising: set.Advertising,
	}
	if second := locale.Of(set.SecondLocale); set.SecondLocale != "" && second != site.Languages[0] {
		site.Languages = append(site.Languages, second)
	}
	if len(set.Domains) > 0 {
		site.Host = cmp.Or(site.Host, set.Domains[0])
	}
	return site
}
