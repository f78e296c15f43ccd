package shop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/fault"
)

// Template is a shop from which new shops receive settings and content. It has nothing that is a
// person's or the shop's own: see [Settings.forTemplate].
type Template struct {
	settings Settings
	// rows returns a new reader of an export of the tables from [TemplateTables].
	rows func() (io.Reader, error)
	// images copies the images that a new shop refers to.
	images func(ctx context.Context, tx *db.Tx, id db.ID) error
}

// templateTables have the design of a shop. Further rows of these tables are deleted by adopt.
var templateTables = []string{"designs", "menus", "design_images", "media", "translations"}

// catalogueTables have the catalogue of a shop, beside its search index.
var catalogueTables = []string{
	"counters", "products", "product_revisions", "images", "product_handles", "variants",
	"product_tags", "collections", "collection_handles", "collection_products", "landing_pages",
}

// TemplateTables returns the tables that a template shop's export must have.
func TemplateTables(withCatalogue bool) []string {
	if withCatalogue {
		return slices.Concat(templateTables, catalogueTables)
	}
	return templateTables
}

// FindTemplate returns the shop that tx reads as a template. The functions return an export of its
// tables, and copy its images. It fails while an import of products is under way.
func FindTemplate(
	tx *db.Tx, rows func() (io.Reader, error), images func(ctx context.Context, tx *db.Tx, id db.ID) error,
) (*Template, error) {
	importing, err := catalogue.IsImporting(tx)
	if err != nil {
		return nil, err
	}
	if importing {
		return nil, errors.New("the template is importing products: wait for the end of the import")
	}
	set, err := findSettings(tx)
	if err != nil {
		return nil, err
	}
	return &Template{settings: set.forTemplate(), rows: rows, images: images}, nil
}

// forTemplate returns the settings that new shops receive from a template. The name, addresses,
// contacts, tax numbers, wallets and advertisers belong to one merchant, as does the picture of the
// logo. The mode and whether the shop is open are states of the template.
func (set *Settings) forTemplate() Settings {
	chosen := Settings{
		Currency: set.Currency, Country: set.Country, Locale: set.Locale, SecondLocale: set.SecondLocale,
		TimeZone: set.TimeZone, DeliveryCharges: set.DeliveryCharges,
		LegalPolicies: set.LegalPolicies, Pages: set.Pages,
		AutoConfirm: set.AutoConfirm, CashRounding: set.CashRounding, Limits: set.Limits,
		BuyerMessages: set.BuyerMessages, Search: set.Search, Print: set.Print,
		RequireSecondFactor: set.RequireSecondFactor, ProofOfWork: set.ProofOfWork,
		UnitsPerLine: set.UnitsPerLine, UnitsPerOrder: set.UnitsPerOrder,
		OpenOrdersPerPhone: set.OpenOrdersPerPhone, OpenOrdersPerClient: set.OpenOrdersPerClient,
		CODProofAbove: set.CODProofAbove, CODExpiryHours: set.CODExpiryHours,
		CourierRecords: set.CourierRecords, IncompleteOrders: set.IncompleteOrders,
		CashForBadRecords: set.CashForBadRecords, OrderTokenDays: set.OrderTokenDays,
	}
	chosen.Site.Enabled, chosen.Brand.Colour = set.Site.Enabled, set.Brand.Colour
	chosen.Advance.Rules, chosen.Invoice.Footer = set.Advance.Rules, set.Invoice.Footer
	return chosen
}

// settingsWith returns the settings of a new shop with changes; the template may be nil. Amounts of
// the template are in its currency, so the shop must have the same. Codes: validation_failed.
func (from *Template) settingsWith(changes map[string]json.RawMessage) (*Settings, error) {
	var settings Settings
	if from != nil { // a copy, since the changes write to its lists
		if err := fromRows(toRows(from.settings), &settings); err != nil {
			return nil, err
		}
	}
	if err := settings.apply(changes); err != nil {
		return nil, err
	}
	if from != nil && settings.Currency != from.settings.Currency {
		var bad fault.Invalid
		bad.Add("currency", fault.CodeInvalidValue, "Must be the currency of the template, %s.", from.settings.Currency)
		return nil, bad.Err()
	}
	return &settings, nil
}

// create creates a shop with the template's content, completely or not at all. write writes the
// rest.
func (from *Template) create(
	ctx context.Context, s *Shop, write func(ctx context.Context, tx *db.Tx) error,
) error {
	rows, err := from.rows()
	if err != nil {
		return fmt.Errorf("read template: %w", err)
	}
	return s.data.Store.Import(ctx, s.data.ID, rows, func(ctx context.Context, tx *db.Tx) error {
		if err := write(ctx, tx); err != nil {
			return err
		}
		if err := from.adopt(ctx, tx, s); err != nil {
			return err
		}
		return from.images(ctx, tx, s.data.ID)
	})
}

// adopt makes the copied content the new shop's own.
func (from *Template) adopt(ctx context.Context, tx *db.Tx, s *Shop) error {
	if err := design.AdoptTemplate(tx); err != nil {
		return err
	}
	// Translations of the template's own texts, and of records that were not copied, are not wanted.
	_, err := tx.Exec(`
		DELETE FROM translations
		WHERE kind IN ('shop', 'discount')
			OR kind = 'product' AND id NOT IN (SELECT id FROM products)
			OR kind = 'collection' AND id NOT IN (SELECT id FROM collections)
			OR kind IN ('tag', 'type') AND NOT EXISTS (SELECT 1 FROM products)`)
	if err != nil {
		return fmt.Errorf("delete translations of the template: %w", err)
	}
	_, err = tx.Exec(`
		DELETE FROM counters
		WHERE name <> 'product'`)
	if err != nil {
		return fmt.Errorf("delete counters of the template: %w", err)
	}
	if err := s.Catalogue.AdoptTemplate(tx); err != nil {
		return err
	}
	if err := catalogue.SanitizeCopy(ctx, tx); err != nil {
		return err
	}
	if err := catalogue.RebuildSearch(ctx, tx); err != nil {
		return err
	}
	return catalogue.RenewCursors(tx)
}
