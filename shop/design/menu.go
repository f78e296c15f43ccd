package design

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
)

// Menus are the menus of the site. An empty one is as without a merchant's: the main menu and the
// footer have the collections and the pages, and there is no secondary menu.
type Menus struct {
	Main      []MenuItem `json:"main" nullable:"false" doc:"In the header. An empty list means the collections"`
	Footer    []MenuItem `json:"footer" nullable:"false" doc:"In the footer. An empty list means the collections and pages"`
	Secondary []MenuItem `json:"secondary" nullable:"false" doc:"Smaller, above the header, and below the main menu on phones"`
}

// MenuItem is a link of a menu, with the links below it.
type MenuItem struct {
	MenuLink
	Items []MenuLink `json:"items,omitempty" nullable:"false" doc:"The second level"`
}

// MenuLink is a link with its title.
type MenuLink struct {
	Title Text   `json:"title"`
	Link  string `json:"link" doc:"A path such as /collections/eid, or a URL. Empty above a second level: a title without a link"`
}

const (
	// MaxMenuLinks is the maximum number of links of a menu, on both levels.
	MaxMenuLinks = 50
	maxMenuTitle = 60
)

// menu is one of the menus.
type menu struct {
	name  string
	items *[]MenuItem
}

func (m *Menus) all() []menu {
	return []menu{{"main", &m.Main}, {"footer", &m.Footer}, {"secondary", &m.Secondary}}
}

// links returns all links of the menus.
func (m *Menus) links() []string {
	var all []string
	for _, one := range m.all() {
		for _, item := range *one.items {
			all = append(all, item.Link)
			for _, below := range item.Items {
				all = append(all, below.Link)
			}
		}
	}
	return all
}

// check checks and cleans the menus. Problems are added to bad.
func (m *Menus) check(bad *fault.Invalid) {
	for _, one := range m.all() {
		if *one.items == nil {
			*one.items = []MenuItem{}
		}
		count := len(*one.items)
		for i := range *one.items {
			item, at := &(*one.items)[i], fmt.Sprintf("%s[%d]", one.name, i)
			item.check(at, len(item.Items) > 0, bad)
			for j := range item.Items {
				item.Items[j].check(fmt.Sprintf("%s.items[%d]", at, j), false, bad)
			}
			count += len(item.Items)
		}
		if count > MaxMenuLinks {
			bad.Add(one.name, fault.CodeInvalidValue, "Must have at most %d links.", MaxMenuLinks)
		}
	}
}

func (l *MenuLink) check(at string, isTitle bool, bad *fault.Invalid) {
	l.Title.English = input.CheckLine(bad, at+".title.en", l.Title.English, maxMenuTitle)
	l.Title.Bangla = input.CheckLine(bad, at+".title.bn", l.Title.Bangla, maxMenuTitle)
	if l.Title == (Text{}) {
		bad.Add(at+".title", fault.CodeRequired, "Enter a title in one of the languages.")
	}
	switch {
	case l.Link == "" && !isTitle:
		bad.Add(at+".link", fault.CodeRequired, "Choose what the title leads to.")
	case l.Link != "" && (len(l.Link) > maxMenuLink || !isLink(l.Link)):
		bad.Add(at+".link", fault.CodeInvalidValue, "Must be a path such as /collections/all, or an https URL.")
	}
}

// maxMenuLink is the maximum length of a link, in bytes.
const maxMenuLink = 500

// FindMenus returns the menus, and the links that lead to nothing now: what they name does not
// exist, or buyers do not see it. Codes: unauthenticated, forbidden.
func (d *Designs) FindMenus(ctx context.Context, caller access.Caller) (*Menus, []string, error) {
	var missing []string
	found, err := access.Read(ctx, d.data, caller, access.ToFindMenus, func(tx *db.Tx, _ access.Staff) (*Menus, error) {
		found, err := findMenus(tx)
		if err == nil {
			missing, err = d.missingLinks(tx, found)
		}
		return found, err
	})
	return found, missing, err
}

// SaveMenus replaces the menus, on condition that check accepts those before; nil accepts any. It
// returns them with the links that lead to nothing now. Codes: validation_failed, unauthenticated,
// forbidden, and check's.
func (d *Designs) SaveMenus(ctx context.Context, caller access.Caller, menus Menus, check func(Menus) error) (*Menus, []string, error) {
	var missing []string
	saved, err := access.Write(ctx, d.data, caller, access.ToSaveMenus, func(tx *db.Tx, who access.Staff) (*Menus, error) {
		before, err := findMenus(tx)
		if err != nil {
			return nil, err
		}
		if err := access.Accept(check, *before); err != nil {
			return nil, err
		}
		var bad fault.Invalid
		menus.check(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		if missing, err = d.missingLinks(tx, &menus); err != nil {
			return nil, err
		}
		changes := menus.changesFrom(before)
		if len(changes) == 0 {
			return &menus, nil
		}
		if err := saveMenus(tx, &menus); err != nil {
			return nil, err
		}
		return &menus, who.Audit(tx, access.Subject{Kind: access.SubjectMenus}, changes...)
	})
	return saved, missing, err
}

// ShownMenus returns the menus for buyers, without the links that lead to nothing.
func (d *Designs) ShownMenus(ctx context.Context) (*Menus, error) {
	var found *Menus
	err := d.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if found, err = findMenus(tx); err != nil {
			return err
		}
		missing, err := d.missingLinks(tx, found)
		found.remove(missing)
		return err
	})
	return found, err
}

// remove removes links. An item without a link stays while it has a second level.
func (m *Menus) remove(links []string) {
	isGone := func(l MenuLink) bool { return slices.Contains(links, l.Link) }
	for _, one := range m.all() {
		for i := range *one.items {
			item := &(*one.items)[i]
			item.Items = slices.DeleteFunc(item.Items, isGone)
			if isGone(item.MenuLink) && len(item.Items) > 0 {
				item.Link = ""
			}
		}
		*one.items = slices.DeleteFunc(*one.items, func(item MenuItem) bool {
			return isGone(item.MenuLink) || item.Link == "" && len(item.Items) == 0
		})
	}
}

// Targets are records that links lead to: handles of products and collections, and slugs of
// pages, policies and landing pages.
type Targets struct{ Products, Collections, Pages, Policies, Landing []string }

// byPath returns the targets below a folder of the site, nil for any other folder.
func (t *Targets) byPath(folder string) *[]string {
	return map[string]*[]string{
		"products": &t.Products, "collections": &t.Collections, "pages": &t.Pages, "policies": &t.Policies, "l": &t.Landing,
	}[folder]
}

// targetOf returns the folder and the name that a link's path consists of; ok is false for other
// links, which are shown as they are.
func targetOf(link string) (folder, name string, ok bool) {
	to, err := url.Parse(link)
	if err != nil || to.Host != "" || to.Scheme != "" {
		return "", "", false
	}
	parts := strings.Split(strings.Trim(to.Path, "/"), "/")
	if len(parts) > 2 && (parts[0] == string(locale.English) || parts[0] == string(locale.Bangla)) {
		parts = parts[1:]
	}
	if len(parts) != 2 || parts[0] == "collections" && parts[1] == "all" {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// missingLinks returns the links of menus that lead to nothing now.
func (d *Designs) missingLinks(tx *db.Tx, menus *Menus) ([]string, error) {
	var wanted Targets
	for _, link := range menus.links() {
		if folder, name, ok := targetOf(link); ok {
			if names := wanted.byPath(folder); names != nil {
				*names = append(*names, name)
			}
		}
	}
	missing := []string{}
	if wanted.isEmpty() {
		return missing, nil
	}
	found, err := d.findTargets(tx, wanted)
	if err != nil {
		return nil, err
	}
	if len(wanted.Landing) > 0 {
		if found.Landing, err = visibleLandingPages(tx); err != nil {
			return nil, err
		}
	}
	for _, link := range menus.links() {
		folder, name, ok := targetOf(link)
		if names := found.byPath(folder); ok && names != nil && !slices.Contains(*names, name) && !slices.Contains(missing, link) {
			missing = append(missing, link)
		}
	}
	return missing, nil
}

func (t *Targets) isEmpty() bool {
	return len(t.Products)+len(t.Collections)+len(t.Pages)+len(t.Policies)+len(t.Landing) == 0
}

// changesFrom returns the differences from earlier menus, for the audit log: with the titles of
// their links.
func (m *Menus) changesFrom(before *Menus) []access.Change {
	var changes []access.Change
	old := before.all()
	for i, one := range m.all() {
		if jsonOf(*one.items) != jsonOf(*old[i].items) {
			changes = append(changes, access.Change{Field: one.name, Before: titlesOf(*old[i].items), After: titlesOf(*one.items)})
		}
	}
	return changes
}

// titlesOf returns the titles of links, for the audit log.
func titlesOf(items []MenuItem) []string {
	titles := []string{}
	for _, item := range items {
		titles = append(titles, item.Title.In(locale.English))
		for _, below := range item.Items {
			titles = append(titles, "– "+below.Title.In(locale.English))
		}
	}
	return titles
}
