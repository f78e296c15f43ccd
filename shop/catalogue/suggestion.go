package catalogue

import (
	"context"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
)

// Suggestions are shown while a buyer types a search.
type Suggestions struct {
	Products    []SuggestedProduct    `json:"products" nullable:"false" doc:"The best matches, at most 8"`
	Collections []SuggestedCollection `json:"collections" nullable:"false" doc:"In the merchant's order, at most 4"`
	Searches    []string              `json:"searches" nullable:"false" doc:"The text with its last word completed, at most 5"`
}

// SuggestedProduct is the part of a product that a suggestion shows.
type SuggestedProduct struct {
	ID        string      `json:"_id"`
	Handle    string      `json:"handle" doc:"URL slug"`
	Title     string      `json:"title"`
	Image     *Image      `json:"image" doc:"The main image"`
	Price     money.Money `json:"price" doc:"Lowest price of its variants"`
	Available bool        `json:"available" doc:"Whether any variant can be bought now"`
}

// SuggestedCollection is the part of a collection that a suggestion shows.
type SuggestedCollection struct {
	ID     string `json:"_id"`
	Handle string `json:"handle" doc:"URL slug"`
	Title  string `json:"title"`
}

// Limits of suggestions.
const (
	maxSuggestedProducts    = 8
	maxSuggestedCollections = 4
	maxSuggestedSearches    = 5
	// maxSuggesting limits the products with words that complete a search.
	maxSuggesting = 20
)

func suggestionFilter(typed string) ProductFilter {
	return ProductFilter{Request: page.Request{Limit: new(maxSuggesting)}, Search: typed}
}

// SuggestionWork returns the cost of the suggestions for a text for rate limits.
func SuggestionWork(typed string) int {
	filter := suggestionFilter(typed)
	return filter.Work()
}

// Suggest returns suggestions for a text that a buyer types. They forgive the spellings that a
// search forgives. A text without a letter or digit has none.
func (c *Catalogue) Suggest(ctx context.Context, typed string) (*Suggestions, error) {
	s := &Suggestions{Products: []SuggestedProduct{}, Collections: []SuggestedCollection{}, Searches: []string{}}
	words := searchWords(typed)
	if len(words) == 0 {
		return s, nil
	}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	synonyms, err := c.synonyms(ctx)
	if err != nil {
		return nil, err
	}
	expression := newSearchExpression(words, synonyms)
	_, err = c.find(ctx, suggestionFilter(typed), func(tx *db.Tx, ids []string) error {
		products, err := c.loadProducts(tx, ids, shown)
		if err != nil {
			return err
		}
		collections, err := findCollectionTitles(tx)
		if err != nil {
			return err
		}
		s.Products = suggestedProducts(products[:min(len(products), maxSuggestedProducts)])
		s.Collections = db.OrEmpty(suggestedCollections(collections, expression))
		if err := translateSuggested(tx, c.language, s.Collections); err != nil {
			return err
		}
		s.Searches = db.OrEmpty(suggestedSearches(products, expression, typed))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func suggestedProducts(products []Product) []SuggestedProduct {
	suggested := make([]SuggestedProduct, len(products))
	for i, p := range products {
		suggested[i] = SuggestedProduct{ID: p.ID, Handle: p.Handle, Title: p.Title, Price: p.Price, Available: p.Available}
		if len(p.Images) > 0 {
			suggested[i].Image = &p.Images[0]
		}
	}
	return suggested
}

// suggestedCollections returns the collections with a matching title. If there are none, a title
// may match with a typing error.
func suggestedCollections(collections []searchedCollection, e searchExpression) (found []SuggestedCollection) {
	for _, forgiving := range []bool{false, true} {
		for _, c := range collections {
			if e.matchesText(c.titles, forgiving) && len(found) < maxSuggestedCollections {
				found = append(found, c.SuggestedCollection)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// suggestedSearches returns the typed text with its last word completed by words, tags and types of
// the products that it finds, the most frequent first.
func suggestedSearches(products []Product, e searchExpression, typed string) []string {
	last := e[len(e)-1:]
	before := strings.Fields(typed)
	before = before[:max(len(before)-len(last[0].typed), 0)]
	counts := map[string]int{}
	var searches []string
	for _, p := range products {
		seen := map[string]bool{input.FoldKey(typed): true}
		for _, text := range slices.Concat(strings.FieldsFunc(p.Title, isSeparator), p.Tags, []string{p.Type}) {
			search := strings.ToLower(strings.Join(append(slices.Clip(before), text), " "))
			if key := input.FoldKey(search); seen[key] || !last.matchesText(text, false) && !last.matchesText(text, true) {
				continue
			} else if seen[key] = true; !slices.Contains(searches, search) {
				searches = append(searches, search)
			}
			counts[search]++
		}
	}
	slices.SortStableFunc(searches, func(a, b string) int { return counts[b] - counts[a] })
	return searches[:min(len(searches), maxSuggestedSearches)]
}

// matchesText reports whether a text has a word for each unit of the expression. If it is
// forgiving, a word may have one typing error.
func (e searchExpression) matchesText(text string, forgiving bool) bool {
	words := strings.FieldsFunc(input.FoldKey(text), isSeparator)
	for _, u := range e {
		matches := func(phrases []searchPhrase) bool {
			return !slices.ContainsFunc(phrases, func(p searchPhrase) bool { return !p.isIn(words, forgiving) })
		}
		if !matches(u.typed) && !slices.ContainsFunc(u.others, matches) {
			return false
		}
	}
	return true
}

// isIn reports whether folded words have the phrase.
func (p searchPhrase) isIn(words []string, forgiving bool) bool {
	parts := strings.FieldsFunc(input.FoldKey(p.text), isSeparator)
	if len(parts) == 0 {
		return false
	}
	last := len(parts) - 1
	for i := range len(words) - last {
		end := words[i+last]
		if slices.Equal(words[i:i+last], parts[:last]) && (end == parts[last] || p.prefix != notPrefix && strings.HasPrefix(end, parts[last])) {
			return true
		}
		letters, others := []rune(parts[0]), []rune(words[i])
		if forgiving && last == 0 && isCorrectable(parts[0]) && max(len(letters), len(others)) >= minCorrectedLetters &&
			input.IsOneEditApart(letters, others) {
			return true
		}
	}
	return false
}
