package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/input"
)

// Bounds of the work of finding products that a text mentions.
const (
	maxMentioned    = 100 // products
	maxWordProducts = 200 // that are considered for one word
)

// MentionedProduct is a product that a text may mention.
type MentionedProduct struct {
	ID       string
	Title    string
	Variants []MentionedVariant
}

// MentionedVariant is a variant of a [MentionedProduct].
type MentionedVariant struct {
	ID, SKU string
	Options []string // values
}

// Synonyms returns the other spellings that the shop's search finds. The result is not modified.
func (c *Catalogue) Synonyms(ctx context.Context) (*Synonyms, error) { return c.synonyms(ctx) }

// FindMentioned returns the active products with most of the words, in any spelling, in titles,
// tags, vendors, types and SKUs. It searches for each word, for similar-sounding words if no
// product has it, and for pairs of neighbours if too many products have one.
func FindMentioned(tx *db.Tx, synonyms *Synonyms, words []string) ([]MentionedProduct, error) {
	sql := searchOn(tx.Dialect())
	votes := map[int64]int{}
	find := func(words ...string) (found, complete bool, err error) {
		match := sql.expression(newSearchExpression(words, synonyms), searchView{columns: inFields})
		numbers, complete, err := findMatches(tx, sql, match, maxWordProducts)
		for _, number := range numbers {
			votes[number]++
		}
		return len(numbers) > 0, complete, err
	}
	frequent := make([]bool, len(words))
	for i, word := range words {
		if searchable := searchWords(word); len(searchable) != 1 {
			continue
		}
		found, complete, err := find(word)
		if err != nil {
			return nil, err
		}
		frequent[i] = !complete
		var others [][]string
		if i > 0 && (frequent[i] || frequent[i-1]) {
			others = [][]string{{words[i-1], word}}
		}
		if !found {
			sounding, err := findSoundingWords(tx, word)
			if err != nil {
				return nil, err
			}
			for _, other := range sounding {
				others = append(others, []string{other})
			}
		}
		for _, other := range others {
			if _, _, err := find(other...); err != nil {
				return nil, err
			}
		}
	}
	return findVoted(tx, votes)
}

// findVoted returns the active products with most votes.
func findVoted(tx *db.Tx, votes map[int64]int) ([]MentionedProduct, error) {
	numbers := make([]int64, 0, len(votes))
	for number := range votes {
		numbers = append(numbers, number)
	}
	slices.SortFunc(numbers, func(a, b int64) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(a, b))
	})
	numbers = numbers[:min(len(numbers), maxMentioned)]
	if len(numbers) == 0 {
		return nil, nil
	}
	list, args := "(?"+strings.Repeat(", ?", len(numbers)-1)+")", make([]any, len(numbers))
	for i, number := range numbers {
		args[i] = number
	}
	ids, err := db.Query(tx, db.ScanText, `
		SELECT p.id
		FROM products p
		WHERE p.number IN `+list+` AND p.status = 'active' AND `+notHidden+`
		ORDER BY p.number`, args...)
	if err != nil {
		return nil, fmt.Errorf("find mentioned products: %w", err)
	}
	rows, err := findProductRows(tx, ids)
	if err != nil {
		return nil, err
	}
	products := make([]MentionedProduct, len(rows))
	for i, p := range rows {
		products[i] = MentionedProduct{ID: p.id, Title: p.title}
		for _, v := range p.variants {
			options := slices.DeleteFunc(
				slices.Clone(v.options[:]),
				func(value string) bool { return value == "" },
			)
			products[i].Variants = append(
				products[i].Variants,
				MentionedVariant{v.id, v.sku, options},
			)
		}
	}
	return products, nil
}

// Find returns other spellings of a word, which may include the word itself.
func (s *Synonyms) Find(word string) []string { return s.find(spellingKey(input.FoldKey(word))) }
