package demo_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/demo"
)

type collection struct {
	Handle, Title, DescriptionHTML, Image string
	Position                              int
}

// decode rejects unknown fields, so that only documented names pass.
func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	if !norm.NFC.IsNormal(data) {
		t.Error("text is not in NFC")
	}
	var v T
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func handles(t *testing.T) []string {
	t.Helper()
	var hs []string
	for _, c := range decode[[]collection](t, demo.Collections()) {
		hs = append(hs, c.Handle)
	}
	return hs
}

func TestCollections(t *testing.T) {
	t.Parallel()
	members := map[string]int{}
	several := 0
	for _, p := range readProducts(t) {
		in := strings.Split(p.row["Collections"], ";")
		if len(in) > 1 {
			several++
		}
		for _, handle := range in {
			members[handle]++
		}
	}
	if several == 0 {
		t.Error("no product is in several collections")
	}
	cs := decode[[]collection](t, demo.Collections())
	if len(cs) != 8 {
		t.Errorf("got %d collections, want 8", len(cs))
	}
	for i, c := range cs {
		if members[c.Handle] < 5 {
			t.Errorf("%s: got %d products, want at least 5", c.Handle, members[c.Handle])
		}
		delete(members, c.Handle)
		if c.Position != i+1 || c.Title == "" {
			t.Errorf("%s: got position %d, title %q; want position %d and a title", c.Handle, c.Position, c.Title, i+1)
		}
		if err := wellFormed("<div>" + c.DescriptionHTML + "</div>"); err != nil {
			t.Errorf("%s: %v", c.Handle, err)
		}
	}
	for handle := range members {
		t.Errorf("products refer to the missing collection %q", handle)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := decode[struct {
		Name, Currency, Country, Locale, SecondLocale, LogoURL string
		DeliveryCharges                                        []struct {
			ID               string `json:"_id"`
			Name, Estimate   string
			Charge, FreeOver int64
			Areas            []string
		}
		SupportContact struct{ Phone, Email, WhatsApp, Address string }
		LegalPolicies  []struct{ Slug, Title, BodyHTML string }
		Pages          []struct{ Slug, Title, BodyHTML string }
		SocialLinks    []struct{ Platform, URL string }
	}](t, demo.Settings())

	if s.Currency != "BDT" || s.Country != "BD" || s.Locale != "en-BD" || s.Name == "" {
		t.Errorf("got name %q, currency %s, country %s, locale %s", s.Name, s.Currency, s.Country, s.Locale)
	}
	charges := map[string]int64{}
	for _, c := range s.DeliveryCharges {
		if c.ID == "" || c.Name == "" || c.Estimate == "" || c.FreeOver <= c.Charge {
			t.Errorf("incomplete delivery charge: got %+v", c)
		}
		for _, area := range c.Areas {
			if _, ok := charges[area]; ok {
				t.Errorf("%s has two delivery charges", area)
			}
			charges[area] = c.Charge
		}
	}
	// Orders can be delivered to all 64 districts of the country.
	if len(charges) != 64 || charges["Dhaka"] != 7000 || charges["Sylhet"] != 13000 {
		t.Errorf("got %d areas, Dhaka %d, Sylhet %d; want 64, 7000, 13000", len(charges), charges["Dhaka"], charges["Sylhet"])
	}
	if c := s.SupportContact; c.Phone == "" || c.WhatsApp == "" || c.Address == "" || !strings.HasSuffix(c.Email, ".example") {
		t.Errorf("incomplete support contact: got %+v", c)
	}
	var slugs []string
	for _, p := range append(s.LegalPolicies, s.Pages...) {
		slugs = append(slugs, p.Slug)
		if err := wellFormed("<div>" + p.BodyHTML + "</div>"); err != nil || p.Title == "" {
			t.Errorf("text %s, title %q: %v", p.Slug, p.Title, err)
		}
	}
	if !slices.Equal(slugs, []string{"privacy", "returns", "terms", "about"}) {
		t.Errorf("got texts %v, want privacy, returns, terms, about", slugs)
	}
	for _, l := range s.SocialLinks {
		if u, err := url.Parse(l.URL); err != nil || u.Scheme != "https" || !strings.HasSuffix(u.Host, ".example") {
			t.Errorf("%s: got %q, want an https URL at an .example host", l.Platform, l.URL)
		}
	}
}

type coupon struct {
	Code, Kind                string
	BasisPoints, Amount       *int64
	MaxDiscount, MinSubtotal  *int64
	StartsAt, EndsAt          *time.Time
	UsageLimit, CustomerLimit *int64
	CollectionIDs, ProductIDs []string
	RequiresLogin, Active     bool
}

func TestCoupons(t *testing.T) {
	t.Parallel()
	known := handles(t)
	shown := map[string]bool{}
	for _, c := range decode[[]coupon](t, demo.Coupons()) {
		if shown[c.Code] || !c.Active {
			t.Errorf("%s is repeated or not active", c.Code)
		}
		shown[c.Code], shown[c.Kind] = true, true
		percent := c.BasisPoints != nil && *c.BasisPoints > 0 && *c.BasisPoints <= 10000
		fixed := c.Amount != nil && *c.Amount > 0
		if percent != (c.Kind == "percentage") || fixed != (c.Kind == "fixed") {
			t.Errorf("%s: kind %s does not match its value", c.Code, c.Kind)
		}
		for _, handle := range c.CollectionIDs {
			if !slices.Contains(known, handle) {
				t.Errorf("%s: unknown collection %q", c.Code, handle)
			}
		}
		shown["cap"] = shown["cap"] || c.MaxDiscount != nil
		shown["minimum"] = shown["minimum"] || c.MinSubtotal != nil
		shown["scope"] = shown["scope"] || len(c.CollectionIDs) > 0
		shown["login"] = shown["login"] || c.RequiresLogin
		shown["limits"] = shown["limits"] || c.UsageLimit != nil && c.CustomerLimit != nil
		if c.EndsAt != nil {
			if c.StartsAt == nil || !c.StartsAt.Before(*c.EndsAt) {
				t.Errorf("%s ends before it starts", c.Code)
			}
			// A later end would fail the test some day; usable coupons have no end.
			if c.EndsAt.Year() > 2025 {
				t.Errorf("%s: got end %s, want one before 2026", c.Code, c.EndsAt)
			}
			shown["expired"] = true
		}
	}
	for _, rule := range []string{"percentage", "fixed", "free_delivery", "cap", "minimum", "scope", "login", "limits", "expired"} {
		if !shown[rule] {
			t.Errorf("no coupon demonstrates %s", rule)
		}
	}
}
