package design

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// MaxLandingPages is the maximum number of landing pages of a shop.
const MaxLandingPages = 200

// MaxLandingProducts is the maximum number of products of a landing page.
const MaxLandingProducts = 6

// LandingPage is a page without a menu, to which advertisements lead. It sells one product, or
// several in one order.
type LandingPage struct {
	Slug        string    `json:"slug" doc:"Last part of its address, /l/SLUG"`
	Title       Text      `json:"title" doc:"For search engines, links and the tab of the browser"`
	Description Text      `json:"description" doc:"For search engines and links"`
	Products    []string  `json:"products" nullable:"false" doc:"IDs or handles of the products that it sells, at most 6; IDs are stored"`
	Visible     bool      `json:"visible" doc:"Buyers see it; otherwise only previews show it"`
	Sections    []Section `json:"sections" nullable:"false" doc:"At most 25. An empty list means the sections of the design"`
}

// slugs are lower-case words, as in addresses.
var slugs = regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{M}\p{Nd}]+(-[\p{Ll}\p{Lo}\p{M}\p{Nd}]+)*$`)

// Lengths of texts, in characters.
const (
	maxSlug        = 120
	maxTitle       = 120
	maxDescription = 300
)

func (p *LandingPage) check(bad *fault.Invalid) []image {
	if !slugs.MatchString(p.Slug) || utf8.RuneCountInString(p.Slug) > maxSlug {
		bad.Add("slug", fault.CodeInvalidValue, "Must be lower-case letters, digits and hyphens, at most %d characters.", maxSlug)
	}
	if p.Title == (Text{}) {
		bad.Add("title", fault.CodeRequired, "Enter a title in one of the languages.")
	}
	for _, t := range []struct {
		field string
		text  *string
		limit int
	}{
		{"title.en", &p.Title.English, maxTitle}, {"title.bn", &p.Title.Bangla, maxTitle},
		{"description.en", &p.Description.English, maxDescription}, {"description.bn", &p.Description.Bangla, maxDescription},
	} {
		*t.text = input.CheckLine(bad, t.field, *t.text, t.limit)
	}
	if len(p.Products) == 0 {
		bad.Add("products", fault.CodeRequired, "Choose a product that the page sells.")
	}
	if len(p.Products) > MaxLandingProducts {
		bad.Add("products", fault.CodeInvalidValue, "Choose at most %d products.", MaxLandingProducts)
	}
	return checkSections(p.Sections, "sections", true, bad)
}

// ListLandingPages returns all landing pages by slug. Codes: unauthenticated, forbidden.
func (d *Designs) ListLandingPages(ctx context.Context, caller access.Caller) ([]LandingPage, error) {
	return access.ReadMany(ctx, d.data, caller, access.ToListLandingPages, func(tx *db.Tx, _ access.Staff) ([]LandingPage, error) {
		return findLandingPages(tx)
	})
}

// FindLandingPageRecord returns a landing page. Codes: not_found, unauthenticated, forbidden.
func (d *Designs) FindLandingPageRecord(ctx context.Context, caller access.Caller, slug string) (*LandingPage, error) {
	return access.Read(ctx, d.data, caller, access.ToFindLandingPageRecord, func(tx *db.Tx, _ access.Staff) (*LandingPage, error) {
		return requireLandingPage(tx, slug)
	})
}

// SaveLandingPage creates the landing page with the slug, or replaces it, on condition that check
// accepts the present one, nil if there is none. A nil check accepts any. Codes: validation_failed,
// state_conflict (too many), unauthenticated, forbidden, and check's.
func (d *Designs) SaveLandingPage(
	ctx context.Context, caller access.Caller, page LandingPage, check func(*LandingPage) error,
) (*LandingPage, error) {
	return access.Write(ctx, d.data, caller, access.ToSaveLandingPage, func(tx *db.Tx, who access.Staff) (*LandingPage, error) {
		before, err := findLandingPage(tx, page.Slug)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return nil, err
		}
		if err := access.Accept(check, before); err != nil {
			return nil, err
		}
		if before == nil {
			if err := d.checkLandingPages(tx); err != nil {
				return nil, err
			}
			before = &LandingPage{}
		}
		var bad fault.Invalid
		images := page.check(&bad)
		if err := d.useImages(tx, images, &bad); err != nil {
			return nil, err
		}
		if page.Products, err = d.findProducts(tx, "products", page.Products); err != nil {
			return nil, err
		}
		changes := page.changesFrom(before)
		if len(changes) == 0 {
			return &page, nil
		}
		if err := saveLandingPage(tx, &page, images); err != nil {
			return nil, err
		}
		return &page, who.Audit(tx, page.subject(), changes...)
	})
}

// checkLandingPages checks the number of landing pages before one more. Codes: state_conflict.
func (d *Designs) checkLandingPages(tx *db.Tx) error {
	all, err := findLandingPages(tx)
	if err == nil && len(all) >= MaxLandingPages {
		err = fault.Errorf(fault.CodeStateConflict, "Delete a landing page first: a shop can have %d.", MaxLandingPages)
	}
	return err
}

// DeleteLandingPage deletes a landing page, on condition that check accepts it. Codes: not_found,
// unauthenticated, forbidden, and check's.
func (d *Designs) DeleteLandingPage(ctx context.Context, caller access.Caller, slug string, check func(LandingPage) error) error {
	return access.Do(ctx, d.data, caller, access.ToDeleteLandingPage, func(tx *db.Tx, who access.Staff) error {
		found, err := requireLandingPage(tx, slug)
		if err != nil {
			return err
		}
		if err := access.Accept(check, *found); err != nil {
			return err
		}
		if err := deleteLandingPage(tx, slug); err != nil {
			return err
		}
		return who.Audit(tx, found.subject(), (&LandingPage{}).changesFrom(found)...)
	})
}

// FindLandingPage returns a landing page for buyers. hidden also finds one that is not visible.
// Codes: not_found.
func (d *Designs) FindLandingPage(ctx context.Context, slug string, hidden bool) (*LandingPage, error) {
	var found *LandingPage
	err := d.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		found, err = requireLandingPage(tx, slug)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !found.Visible && !hidden {
		return nil, errNoLandingPage()
	}
	return found, nil
}

// VisibleLandingPages returns the slugs of the landing pages that buyers see, in their order.
func (d *Designs) VisibleLandingPages(ctx context.Context) (visible []string, err error) {
	err = d.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		visible, err = visibleLandingPages(tx)
		return err
	})
	return visible, err
}

func visibleLandingPages(tx *db.Tx) ([]string, error) {
	all, err := findLandingPages(tx)
	if err != nil {
		return nil, err
	}
	var visible []string
	for _, page := range all {
		if page.Visible {
			visible = append(visible, page.Slug)
		}
	}
	return visible, nil
}

func requireLandingPage(tx *db.Tx, slug string) (*LandingPage, error) {
	found, err := findLandingPage(tx, slug)
	if errors.Is(err, db.ErrNotFound) {
		return nil, errNoLandingPage()
	}
	return found, err
}

func errNoLandingPage() error {
	return &fault.Error{Code: fault.CodeNotFound, Message: "There is no landing page at this address."}
}

func (p *LandingPage) subject() access.Subject {
	return access.Subject{Kind: access.SubjectLandingPage, ID: p.Slug, Label: p.Slug}
}

// changesFrom returns the differences from an earlier page, for the audit log.
func (p *LandingPage) changesFrom(before *LandingPage) []access.Change {
	changes := access.Changed("title", before.Title, p.Title)
	changes = append(changes, access.Changed("description", before.Description, p.Description)...)
	changes = append(changes, access.Changed("products", strings.Join(before.Products, ", "), strings.Join(p.Products, ", "))...)
	changes = append(changes, access.Changed("visible", before.Visible, p.Visible)...)
	if jsonOf(p.Sections) != jsonOf(before.Sections) {
		changes = append(changes, access.Change{Field: "sections", Before: kindsOf(before.Sections), After: kindsOf(p.Sections)})
	}
	return changes
}
