package site

import (
	"context"
	"html/template"
	"slices"
	"strings"

	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/fault"
)

// sectionBuilder builds the sections of one page.
type sectionBuilder struct {
	*frame
	site    *Site
	ctx     context.Context
	request *request
	newest  []card
	at      int // number of the section, from 0

	// titled reports that the page has its heading already.
	titled bool
}

// sectionKinds build the data of each kind of section: nil if there is nothing to show. Its
// template has the name of the kind.
var sectionKinds = map[string]func(b *sectionBuilder, settings any) (any, error){}

// show adds the builder of a kind of section with settings of the type T.
func show[T any](kind string, build func(b *sectionBuilder, settings T) (any, error)) struct{} {
	sectionKinds[kind] = func(b *sectionBuilder, settings any) (any, error) { return build(b, settings.(T)) }
	return struct{}{}
}

// section is the part that most kinds have in common.
type section struct {
	*frame
	Heading string
	First   bool // it is the first of the page
	Main    bool // the heading is the page's
}

// newSection returns a section with a heading.
func (b *sectionBuilder) newSection(heading string) section {
	return section{frame: b.frame, Heading: heading, First: b.at == 0}
}

// newTitle returns a section with the heading of the page, unless the page has one already.
func (b *sectionBuilder) newTitle(heading string) section {
	made := b.newSection(heading)
	made.Main, b.titled = !b.titled, true
	return made
}

// buildSections renders sections of a page, which may have its heading already. One that has
// nothing to show is left out. untitled reports that no section has the page's heading.
func (s *Site) buildSections(
	ctx context.Context, r *request, f *frame, sections []design.Section, titled bool,
) (shown []template.HTML, untitled bool, err error) {
	b := &sectionBuilder{frame: f, site: s, ctx: ctx, request: r, titled: titled}
	for _, one := range sections {
		settings, known := one.Decode()
		build := sectionKinds[one.Kind]
		if one.Hidden || !known || build == nil {
			continue
		}
		data, err := build(b, settings)
		if err != nil {
			return nil, false, err
		}
		if data == nil {
			continue
		}
		text, err := s.execute(sectionKind, one.Kind, data)
		if err != nil {
			return nil, false, err
		}
		shown = append(shown, template.HTML(text))
		b.at++
	}
	return shown, !b.titled, nil
}

// pictureOf returns a picture of the design for a place of this width; nil if there is none.
func (b *sectionBuilder) pictureOf(chosen *design.Picture, width int) (*picture, error) {
	if chosen == nil {
		return nil, nil
	}
	all, err := b.picturesOf([]design.Picture{*chosen}, width)
	if len(all) == 0 {
		return nil, err
	}
	return all[0], err
}

func (b *sectionBuilder) picturesOf(chosen []design.Picture, width int) ([]*picture, error) {
	ids := make([]string, len(chosen))
	for i, c := range chosen {
		ids[i] = c.MediaID
	}
	found, err := b.request.catalogue().FindImages(b.ctx, ids)
	if err != nil {
		return nil, err
	}
	var pictures []*picture
	for _, c := range chosen {
		image, ok := found[c.MediaID]
		if !ok {
			continue
		}
		if alt := c.Alt.In(b.Lang); alt != "" {
			image.Alt = alt
		}
		p := b.newPicture(&image, width, "")
		p.Focus = focusOf(c.Focus)
		pictures = append(pictures, p)
	}
	return pictures, nil
}

// focusOf returns the class of the part of a picture that stays visible where it is cut.
func focusOf(f *design.Focus) string {
	if f == nil {
		return ""
	}
	across := [...]string{"left", "", "right"}[min(f.X/34, 2)]
	down := [...]string{"top", "", "bottom"}[min(f.Y/34, 2)]
	return strings.TrimSpace(across + " " + down)
}

// linkTo returns the address of a link of the design, which was checked when it was saved. A path
// of the site is in the page's language.
func (f *frame) linkTo(to design.Link) template.URL {
	if path, ok := strings.CutPrefix(string(to), "/"); ok {
		return template.URL(f.page.prefix() + "/" + path)
	}
	return template.URL(to)
}

// paragraphs returns the paragraphs of a text: an empty line separates them.
func paragraphs(text string) []string {
	parts := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(p string) bool { return p == "" })
}

// findProduct returns the product with a handle or an ID; nil if there is none.
func (b *sectionBuilder) findProduct(name string) (*catalogue.Product, error) {
	found, err := b.request.catalogue().FindProductByHandle(b.ctx, name)
	if fault.HasCode(err, fault.CodeNotFound) {
		found, err = b.request.catalogue().FindProduct(b.ctx, name)
	}
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil, nil
	}
	return found, err
}

// findCollection returns the collection with a handle or an ID; nil if it is unknown or empty.
func (b *sectionBuilder) findCollection(name string) *catalogue.Collection {
	at := slices.IndexFunc(b.lists, func(c catalogue.Collection) bool { return c.Handle == name || c.ID == name })
	if at < 0 {
		return nil
	}
	return &b.lists[at]
}

// findNewest returns the newest products as cards.
func (b *sectionBuilder) findNewest() ([]card, error) {
	if b.newest != nil {
		return b.newest, nil
	}
	var err error
	b.newest, err = b.site.findCards(b.ctx, b.request, b.frame, catalogue.ProductFilter{}, listSize)
	return b.newest, err
}
