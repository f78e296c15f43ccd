package shop

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// AnnouncementKind is the subject of an announcement.
//
//api:enum AnnouncementKind
type AnnouncementKind string

// The kinds of announcements.
const (
	AnnounceMaintenance AnnouncementKind = "maintenance" // work on the server
	AnnounceVersion     AnnouncementKind = "version"     // a new version of the program
	AnnounceInformation AnnouncementKind = "information" // another subject
)

// AnnouncementKinds returns every kind.
func AnnouncementKinds() []AnnouncementKind {
	return []AnnouncementKind{AnnounceMaintenance, AnnounceVersion, AnnounceInformation}
}

// Announcement is a message of the operator of the server to the staff members of its shops, or of
// some of them. The copy in a shop has no list of shops.
type Announcement struct {
	ID     string           `json:"id" doc:"Computed from the kind, the texts and the beginning: staff who dismissed it see a changed one"`
	Kind   AnnouncementKind `json:"kind"`
	Eng    string           `json:"en" doc:"Text in English, or empty for the other language's"`
	Bangla string           `json:"bn" doc:"Text in Bangla, or empty for the other language's"`
	From   *time.Time       `json:"from" doc:"Beginning; null means immediately"`
	Until  *time.Time       `json:"until" doc:"End; null means until it is removed"`
	Plan   *string          `json:"plan" doc:"Plan of the shops that receive it; null means any"`
	Shops  []string         `json:"shops" nullable:"false" doc:"UIDs of the shops that receive it; empty means all. Shops do not receive this list"`
}

const (
	maxAnnouncements    = 20
	maxAnnouncementText = 300  // characters
	maxAnnouncedShops   = 1000 // UIDs of an announcement
)

// check checks and normalizes an announcement.
func (a *Announcement) check(bad *fault.Invalid, path string) {
	input.CheckValues(bad, path+"kind", []AnnouncementKind{a.Kind}, AnnouncementKinds())
	a.Eng = input.CheckLine(bad, path+"en", a.Eng, maxAnnouncementText)
	a.Bangla = input.CheckLine(bad, path+"bn", a.Bangla, maxAnnouncementText)
	if a.Eng == "" && a.Bangla == "" {
		bad.Add(path+"en", fault.CodeRequired, "A text in one of the languages is required.")
	}
	for _, at := range []*time.Time{a.From, a.Until} {
		if at != nil {
			*at = at.UTC().Truncate(time.Second)
		}
	}
	if a.Until != nil && a.From != nil && !a.Until.After(*a.From) {
		bad.Add(path+"until", fault.CodeInvalidValue, "Must be after the beginning.")
	}
	if a.Plan != nil {
		*a.Plan = input.CheckLine(bad, path+"plan", *a.Plan, maxLine)
	}
	slices.Sort(a.Shops)
	a.Shops = db.OrEmpty(slices.Compact(a.Shops))
	if len(a.Shops) > maxAnnouncedShops {
		bad.Add(path+"shops", fault.CodeInvalidValue, "Must not be more than %d shops.", maxAnnouncedShops)
	}
	sum := sha256.Sum256(mustEncode([]any{a.Kind, a.Eng, a.Bangla, a.From}))
	a.ID = hex.EncodeToString(sum[:6])
}

// checkAnnouncements checks and normalizes the announcements.
func (d *Defaults) checkAnnouncements(bad *fault.Invalid) {
	if len(d.Announcements) > maxAnnouncements {
		bad.Add("announcements", fault.CodeInvalidValue, "Must not be more than %d announcements.", maxAnnouncements)
	}
	d.Announcements = db.OrEmpty(d.Announcements)
	known := map[string]bool{}
	for i := range d.Announcements {
		a := &d.Announcements[i]
		path := fmt.Sprintf("announcements[%d].", i)
		a.check(bad, path)
		if known[a.ID] {
			bad.Add(path+"en", fault.CodeInvalidValue, "Must differ from the other announcements.")
		}
		known[a.ID] = true
	}
}

// For returns the copy of the defaults for one shop: without announcements to others, and without
// the UIDs of shops. It is nil if nothing is left.
func (d *Defaults) For(uid string) *Defaults {
	if d == nil {
		return nil
	}
	own := *d
	own.Announcements = []Announcement{}
	for _, a := range d.Announcements {
		if len(a.Shops) == 0 || slices.Contains(a.Shops, uid) {
			a.Shops = []string{}
			own.Announcements = append(own.Announcements, a)
		}
	}
	if own.isEmpty() {
		return nil
	}
	return &own
}

// isEmpty reports whether shops would inherit nothing.
func (d *Defaults) isEmpty() bool {
	return d.Branding == (Branding{}) && len(d.Announcements) == 0 && !slices.ContainsFunc(DefaultKeys(), d.Has)
}

// Announcements returns the announcements of the operator of the server to shops with the plan of
// this one that have begun and not ended.
func (set *Settings) Announcements(now time.Time) []Announcement {
	current := []Announcement{}
	if set.Defaults == nil {
		return current
	}
	for _, a := range set.Defaults.Announcements {
		isOther := a.Plan != nil && (set.Plan == nil || set.Plan.Name != *a.Plan)
		if !isOther && (a.From == nil || !a.From.After(now)) && (a.Until == nil || a.Until.After(now)) {
			current = append(current, a)
		}
	}
	return current
}
