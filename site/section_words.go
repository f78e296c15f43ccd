package site

import (
	"cmp"
	"html/template"
	"strings"

	"storefront/shop/design"
)

var _ = show("announcement", func(b *sectionBuilder, s design.Announcement) (any, error) {
	text := s.Text.In(b.Lang)
	if text == "" {
		return nil, nil
	}
	return struct {
		section
		Text string
		Link template.URL
	}{b.newSection(""), text, b.linkTo(s.Link)}, nil
})

// heroSection is the first thing that a visitor sees.
type heroSection struct {
	section
	Picture  *picture
	Pictures []*picture // of products, for designs that show three
	Letters  string
	Text     []string
	Facts    []string // in place of a text
	Button   string
	Link     template.URL
}

// maxTrio is the number of products' pictures in a hero.
const maxTrio = 3

var _ = show("hero", func(b *sectionBuilder, s design.Hero) (any, error) {
	own, err := b.pictureOf(s.Picture, 960)
	if err != nil {
		return nil, err
	}
	newest, err := b.findNewest()
	if err != nil {
		return nil, err
	}
	p := heroSection{
		section: b.newTitle(cmp.Or(s.Title.In(b.Lang), b.Name)), Picture: own, Letters: firstLetters(b.Name, 2),
		Text: paragraphs(s.Text.In(b.Lang)), Button: cmp.Or(s.Button.In(b.Lang), b.W.ShopNow),
		Link: b.linkTo(cmp.Or(s.Link, "/collections/all")),
	}
	if p.Picture == nil {
		p.Picture = heroOf(newest)
	}
	for _, c := range newest {
		if own == nil && c.Picture != nil && len(p.Pictures) < maxTrio {
			p.Pictures = append(p.Pictures, c.Picture)
		}
	}
	if len(p.Pictures) < maxTrio {
		p.Pictures = nil
	}
	if len(p.Text) == 0 {
		p.Facts = b.facts()
	}
	if p.Picture != nil && p.Main {
		b.setPreview(p.Picture.source)
	}
	return p, nil
})

// wordsSection is a text, with a picture or without.
type wordsSection struct {
	section
	Text     []string
	Picture  *picture
	Right    bool // the picture is on the right
	Centered bool
	Button   string
	Link     template.URL
}

var _ = show("text", func(b *sectionBuilder, s design.Words) (any, error) {
	p := wordsSection{section: b.newSection(s.Title.In(b.Lang)), Text: paragraphs(s.Text.In(b.Lang)), Centered: s.Centered}
	if p.Heading == "" && len(p.Text) == 0 {
		return nil, nil
	}
	return p, nil
})

var _ = show("pictureText", func(b *sectionBuilder, s design.PictureText) (any, error) {
	own, err := b.pictureOf(s.Picture, 720)
	p := wordsSection{
		section: b.newSection(s.Title.In(b.Lang)), Text: paragraphs(s.Text.In(b.Lang)), Picture: own, Right: s.Side == "right",
		Button: s.Button.In(b.Lang), Link: b.linkTo(s.Link),
	}
	if p.Heading == "" && len(p.Text) == 0 && own == nil {
		return nil, err
	}
	return p, err
})

var _ = show("gallery", func(b *sectionBuilder, s design.Gallery) (any, error) {
	pictures, err := b.picturesOf(s.Pictures, 400)
	if err != nil {
		return nil, err
	}
	if len(pictures) == 0 {
		return nil, nil
	}
	return struct {
		section
		Pictures []*picture
	}{b.newSection(s.Title.In(b.Lang)), pictures}, nil
})

var _ = show("video", func(b *sectionBuilder, s design.Video) (any, error) {
	own, err := b.pictureOf(s.Picture, 960)
	if err != nil {
		return nil, err
	}
	if s.Link == "" {
		return nil, nil
	}
	return struct {
		section
		Picture *picture
		Link    template.URL
	}{b.newSection(s.Title.In(b.Lang)), own, b.linkTo(s.Link)}, nil
})

type questionView struct {
	Question string
	Answer   []string
}

var _ = show("questions", func(b *sectionBuilder, s design.Questions) (any, error) {
	var items []questionView
	for _, q := range s.Items {
		if view := (questionView{q.Question.In(b.Lang), paragraphs(q.Answer.In(b.Lang))}); view.Question != "" && len(view.Answer) > 0 {
			items = append(items, view)
		}
	}
	if len(items) == 0 {
		return nil, nil
	}
	return struct {
		section
		Items []questionView
	}{b.newSection(cmp.Or(s.Title.In(b.Lang), b.W.Questions)), items}, nil
})

// testimonialView is what a buyer has said. Stars and Words describe the rating of a review.
type testimonialView struct{ Text, Name, Place, Stars, Words string }

var _ = show("testimonials", func(b *sectionBuilder, s design.Testimonials) (any, error) {
	var items []testimonialView
	for _, t := range s.Items {
		if view := (testimonialView{Text: t.Text.In(b.Lang), Name: t.Name.In(b.Lang), Place: t.Place.In(b.Lang)}); view.Text != "" {
			items = append(items, view)
		}
	}
	if len(s.Items) == 0 {
		var err error
		if items, err = b.findReviews(); err != nil {
			return nil, err
		}
	}
	if len(items) == 0 {
		return nil, nil
	}
	return struct {
		section
		Items []testimonialView
	}{b.newSection(cmp.Or(s.Title.In(b.Lang), b.W.Testimonials)), items}, nil
})

// maxQuotes is the maximum number of reviews of each product that a landing page shows.
const maxQuotes = 3

// findReviews returns the newest published reviews of a landing page's products, without ratings
// alone.
func (b *sectionBuilder) findReviews() (views []testimonialView, err error) {
	if b.request.landing == nil {
		return nil, nil
	}
	for _, product := range b.request.landing.products {
		found, err := b.request.Shop.Reviews.FindPublished(b.ctx, product.ID)
		if err != nil {
			return nil, err
		}
		left := maxQuotes
		for _, shown := range found.Newest {
			if left > 0 && shown.Text != "" {
				views, left = append(views, testimonialView{
					Text: shown.Text, Name: cmp.Or(shown.Name, b.W.Buyer), Place: b.W.Verified, Stars: stars(shown.Rating),
					Words: strings.Split(b.W.StarWords, "|")[shown.Rating-1],
				}), left-1
			}
		}
	}
	return views, nil
}

// promiseView is what buyers can rely on.
type promiseView struct{ Icon, Title, Text string }

var _ = show("promises", func(b *sectionBuilder, s design.Promises) (any, error) {
	var items []promiseView
	for _, i := range s.Items {
		if view := (promiseView{cmp.Or(i.Icon, "check"), i.Title.In(b.Lang), i.Text.In(b.Lang)}); view.Title != "" {
			items = append(items, view)
		}
	}
	if len(items) == 0 {
		items = b.promises()
	}
	return struct {
		section
		Items []promiseView
	}{b.newSection(s.Title.In(b.Lang)), items}, nil
})

var _ = show("contact", func(b *sectionBuilder, s design.Contact) (any, error) {
	if len(b.Contacts) == 0 {
		return nil, nil
	}
	return wordsSection{section: b.newSection(cmp.Or(s.Title.In(b.Lang), b.W.Help)), Text: paragraphs(s.Text.In(b.Lang))}, nil
})
