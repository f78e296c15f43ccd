package site

import (
	"context"
	"net/http"
	"net/url"
)

// suggestions are the data of the list below the search field.
type suggestions struct {
	*frame
	Searches, Collections []link
	Products              []suggestedProduct
}

// Found returns the number of suggestions, in words.
func (p suggestions) Found() string {
	return p.count(len(p.Searches)+len(p.Collections)+len(p.Products), p.W.Suggestions)
}

type suggestedProduct struct {
	link
	Picture *picture
	Letters string
	Price   string
}

// suggest responds with suggestions for a text that a buyer types, for the script of the search.
func (s *Site) suggest(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "list")
	if err != nil {
		return nil, err
	}
	found, err := r.catalogue().Suggest(ctx, r.Query.Get("q"))
	if err != nil {
		return nil, err
	}
	p := suggestions{frame: f}
	for _, text := range found.Searches {
		p.Searches = append(p.Searches, link{Text: text, Path: f.path("/search") + "?" + url.Values{"q": {text}}.Encode()})
	}
	for _, c := range found.Collections {
		p.Collections = append(p.Collections, link{Text: f.in(c.Title), Path: f.path("/collections/" + c.Handle)})
	}
	for _, one := range found.Products {
		title := f.in(one.Title)
		p.Products = append(p.Products, suggestedProduct{
			link:    link{Text: title, Path: f.path("/products/" + one.Handle)},
			Picture: f.newPicture(one.Image, 160, title), Letters: firstLetters(title, 2), Price: f.Money(one.Price),
		})
	}
	body, err := s.execute("list", "suggestions", p)
	if err != nil {
		return nil, err
	}
	return &Response{Status: http.StatusOK, Media: htmlMedia, Body: body}, nil
}
