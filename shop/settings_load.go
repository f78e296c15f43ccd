package shop

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/sales"
	"storefront/shop/sender"
	"storefront/shop/staff"
	"storefront/shop/timezone"
)

// cachedSettings are settings with the state of the file from which they were read.
type cachedSettings struct {
	key settingsKey
	Settings
	money     money.Currency
	orders    *order.Settings
	logo      catalogue.Logo
	site      Site
	orderPage string // address of the server's page of an order, without its invoice UID
	zone      *time.Location
	synonyms  *catalogue.Synonyms
	// translations are those into the second language, nil if the shop has none.
	translations settingTexts
}

// settingsKey changes whenever settings or keys may have changed. This process counts its changes
// in revision. For another process, every commit counts. Orders of this process do not change it.
type settingsKey struct{ foreign, revision uint64 }

func (s *Shop) settingsKey(ctx context.Context) (settingsKey, error) {
	foreign, err := s.data.Store.ExternalVersion(ctx, s.data.ID)
	return settingsKey{foreign, s.revision.Load()}, err
}

// Settings returns the shop's settings. The result must not be modified.
func (s *Shop) Settings(ctx context.Context) (*Settings, error) {
	c, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return &c.Settings, nil
}

func (s *Shop) accountSettings(ctx context.Context) (account.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return account.Settings{}, err
	}
	return account.Settings{
		Name: set.Name, Country: set.Country, Language: set.language(), Limits: set.Limits,
		Work: set.ProofOfWork,
	}, nil
}

func (s *Shop) ledgerSettings(ctx context.Context) (cash.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return cash.Settings{}, err
	}
	return cash.Settings{Currency: set.money, Zone: set.zone}, nil
}

func (s *Shop) reportsSettings(ctx context.Context) (sales.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return sales.Settings{}, err
	}
	return sales.Settings{Currency: set.money, Zone: set.zone, Country: set.Country}, nil
}

func (s *Shop) senderSettings(ctx context.Context) (sender.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return sender.Settings{}, err
	}
	return sender.Settings{Name: set.Name, Country: set.Country, Language: set.language()}, nil
}

func (s *Shop) staffSettings(ctx context.Context) (staff.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return staff.Settings{}, err
	}
	return set.forStaff(), nil
}

// orderSettings returns the settings that orders depend on.
func (s *Shop) orderSettings(ctx context.Context) (*order.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return set.orders, nil
}

// forOrders returns the settings that orders depend on.
func (c *cachedSettings) forOrders(shown order.Display) *order.Settings {
	return order.NewSettings(order.Settings{
		Limits: c.orderLimits(), Display: shown, Country: c.Country, Zone: c.zone,
		StorefrontURL:   c.elsewhere(c.StorefrontURL),
		DeliveryCharges: c.DeliveryCharges, ActiveMode: c.ActiveMode, AutoConfirm: c.AutoConfirm,
		CashRounding:      c.CashRounding,
		CashForBadRecords: c.CashForBadRecords, Advance: c.Advance, CourierRecords: c.CourierRecords, IncompleteOrders: c.IncompleteOrders,
		BuyerMessages: c.BuyerMessages, Advertised: c.Advertising.HasReceivers(),
		Language: c.messageLanguage(), OrderLink: c.orderLink, TranslateCharge: c.translateCharge, TranslateDiscount: c.translateDiscount,
	})
}

// TimeZone returns the time zone in which staff members read times and count days.
func (s *Shop) TimeZone(ctx context.Context) (*time.Location, error) {
	c, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return c.zone, nil
}

func (s *Shop) loadSettings(ctx context.Context) (*cachedSettings, error) {
	key, err := s.settingsKey(ctx)
	if err != nil {
		return nil, err
	}
	if c := s.settings.Load(); c != nil && c.key == key {
		return c, nil
	}
	c := &cachedSettings{key: key}
	var terms []catalogue.TermName
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if c.Settings, err = findSettings(tx); err != nil {
			return err
		}
		if s.adjust != nil {
			s.adjust(&c.Settings)
		}
		if c.logo, err = findLogo(tx, &c.Settings, s.mediaAddressOf(&c.Settings)); err != nil {
			return err
		}
		if c.site = newSite(&c.Settings, c.logo); c.MediaURL == "" {
			c.site.Media = s.publicURL
		}
		if c.second() != "" {
			if c.translations, err = findSettingTexts(tx); err == nil {
				terms, err = catalogue.FindTermNames(tx, c.second())
			}
		}
		if err == nil {
			c.inherit()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var ok bool
	if c.money, ok = money.ParseCurrency(c.Currency); !ok {
		return nil, fmt.Errorf("settings of %s: unknown currency %q", s.data.ID, c.Currency)
	}
	c.orderPage = s.Orders.OrderPageURL("")
	if c.zone, err = timezone.Find(c.timeZone()); err != nil {
		return nil, fmt.Errorf("settings of %s: %w", s.data.ID, err)
	}
	c.synonyms = catalogue.NewSynonyms(c.Search, terms)
	c.orders = c.forOrders(order.Display{Currency: c.money, Media: s.mediaAddressOf(&c.Settings), Rates: s.findCashRates, Wallets: c.Advance.Wallets})
	s.settings.Store(c)
	return c, nil
}
