package site

import (
	"context"
	"html/template"
	"net/url"
	"strings"

	"storefront/shop/design"
	"storefront/shop/locale"
)

// menuItem is a link of a menu. Path is empty if it is only the title of its second level.
type menuItem struct {
	Text    string
	Path    template.URL
	Current bool
	Items   []menuItem
}

// addMenus adds the first collections and the merchant's menus. An empty main menu consists of the
// collections.
func (f *frame) addMenus(ctx context.Context, r *request) error {
	for _, c := range f.lists[:min(len(f.lists), maxMenu)] {
		to := "/collections/" + c.Handle
		f.Menu = append(f.Menu, link{Text: locale.NameIn(f.Lang, c.Title), Path: f.path(to), Current: to == r.page.rest})
	}
	if f.Bare {
		return nil
	}
	menus, err := r.Shop.Designs.ShownMenus(ctx)
	if err != nil {
		return err
	}
	f.Nav, f.Footer, f.Second = f.menu(menus.Main), f.menu(menus.Footer), f.menu(menus.Secondary)
	if f.OwnMenu = len(f.Nav) > 0; f.OwnMenu {
		return nil
	}
	for _, l := range f.Menu {
		f.Nav = append(f.Nav, menuItem{Text: l.Text, Path: template.URL(l.Path), Current: l.Current})
	}
	return nil
}

func (f *frame) menu(items []design.MenuItem) []menuItem {
	var all []menuItem
	for _, item := range items {
		shown := f.menuLink(item.MenuLink)
		for _, below := range item.Items {
			shown.Items = append(shown.Items, f.menuLink(below))
		}
		all = append(all, shown)
	}
	return all
}

// menuLink returns a link in the page's language, which the domain has checked.
func (f *frame) menuLink(l design.MenuLink) menuItem {
	shown := menuItem{Text: l.Title.In(f.Lang), Path: template.URL(l.Link)}
	to, err := url.Parse(l.Link)
	if err != nil || to.Scheme != "" || l.Link == "" {
		return shown
	}
	shown.Current = to.Path == f.page.rest
	for _, language := range []locale.Language{locale.English, locale.Bangla} {
		if to.Path == "/"+string(language) || strings.HasPrefix(to.Path, "/"+string(language)+"/") {
			return shown // with the prefix of a language
		}
	}
	if shown.Path = template.URL(f.page.prefix() + to.String()); to.Path == "/" && f.page.prefix() != "" {
		shown.Path = template.URL(f.page.prefix() + strings.TrimPrefix(to.String(), "/"))
	}
	return shown
}
