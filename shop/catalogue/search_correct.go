package catalogue

import (
	"context"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/input"
)

// Bounds of the work of correcting a query. If more words match no product, correcting some would
// not help.
const (
	maxCorrectable    = 6 // words of a query
	maxCorrectedWords = 3
	maxCorrections    = 8 // of one word
	maxSplits         = 16
)

// visibility is the SQL condition on products p that a search may show them.
type visibility struct {
	condition string
	args      []any
}

// correctSearch returns an expression that also matches corrections, or nil if there are none. Only
// words that no visible product has are corrected: a word of a product may well be meant, and be
// one letter away from another, such as shirt from skirt. Hidden products must not count, or a
// search would reveal their words. filtered means that products may match e that other filters
// exclude.
func correctSearch(
	ctx context.Context, tx *db.Tx, e searchExpression, synonyms *Synonyms, visible visibility, filtered bool,
) (searchExpression, error) {
	sql := searchOn(tx.Dialect())
	matches := func(e searchExpression) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		return anyMatches(tx, sql, sql.expression(e, searchView{}), visible.condition, visible.args)
	}
	if len(e) > maxCorrectable {
		return nil, nil
	}
	if filtered {
		found, err := matches(e)
		if err != nil {
			return nil, err
		}
		if found {
			return nil, nil
		}
	}
	missing, err := missingUnits(e, matches)
	if err != nil {
		return nil, err
	}
	corrected, missing, err := joinPairs(e, missing, matches)
	if err != nil {
		return nil, err
	}
	if len(missing) > maxCorrectedWords || len(missing) == 0 && len(corrected) == len(e) {
		return nil, nil
	}
	for _, i := range missing {
		others, err := corrections(tx, corrected[i], synonyms)
		if err != nil {
			return nil, err
		}
		if len(others) == 0 {
			return nil, nil
		}
		corrected[i].others = append(slices.Clip(corrected[i].others), others...)
	}
	return corrected, nil
}

// missingUnits returns the indexes of the units that match nothing.
func missingUnits(
	e searchExpression, matches func(searchExpression) (bool, error),
) (missing []int, err error) {
	for i := range e {
		found, err := matches(e[i : i+1])
		if err != nil {
			return nil, err
		}
		if !found {
			missing = append(missing, i)
		}
	}
	return missing, nil
}

// joinPairs returns the expression with one unit for each pair of words that products have as one
// word, and the indexes of the units that are missing still.
func joinPairs(
	e searchExpression, missing []int, matches func(searchExpression) (bool, error),
) (searchExpression, []int, error) {
	joinedUp := slices.Clone(e)
	for i := len(e) - 1; i > 0; i-- { // from the end, since pairs become one unit
		joined := joinWords(e[i-1], e[i])
		if joined == nil {
			continue
		}
		found, err := matches(searchExpression{{typed: joined}})
		if err != nil {
			return nil, nil, err
		}
		if !found {
			continue
		}
		pair := searchUnit{typed: append(slices.Clip(e[i-1].typed), e[i].typed...), others: [][]searchPhrase{joined}}
		joinedUp = slices.Replace(joinedUp, i-1, i+1, pair)
		missing = slices.DeleteFunc(missing, func(n int) bool { return n == i || n == i-1 })
		for n := range missing {
			if missing[n] > i {
				missing[n]--
			}
		}
		i--
	}
	return joinedUp, missing, nil
}

// joinWords returns two words as one, "head phone" as headphone, or nil if they cannot be.
func joinWords(a, b searchUnit) []searchPhrase {
	if len(a.typed) != 1 || len(b.typed) != 1 {
		return nil
	}
	word := joinParts(a.typed[0].text + b.typed[0].text)
	return []searchPhrase{spelledPhrase(word)}
}

// corrections returns alternatives for a word that no product has: two words, a word one edit away,
// and its synonyms.
func corrections(tx *db.Tx, u searchUnit, synonyms *Synonyms) (others [][]searchPhrase, err error) {
	if len(u.typed) != 1 {
		return nil, nil
	}
	word := input.FoldKey(joinParts(u.typed[0].text))
	letters := []rune(word)
	if len(letters) <= maxSplits {
		for i := 1; i < len(letters); i++ {
			others = append(others, []searchPhrase{{text: string(letters[:i]) + " " + string(letters[i:])}})
		}
	}
	if !isCorrectable(word) {
		return others, nil
	}
	similar, err := findSimilarWords(tx, letters)
	if err != nil {
		return nil, err
	}
	// Few people mistype the first letter.
	slices.SortStableFunc(similar, func(a, b string) int { return sharesFirst(b, word) - sharesFirst(a, word) })
	spellings := slices.Concat(synonyms.findSimilar([]rune(spellingKey(word))), similar[:min(len(similar), maxCorrections)])
	for _, other := range similar[:min(len(similar), maxCorrections)] {
		spellings = append(spellings, synonyms.find(spellingKey(other))...)
	}
	left := maxAlternatives
	var all searchUnit
	all.add(spellings, &left)
	return append(others, all.others...), nil
}

// sharesFirst returns 1 if two words begin with the same letter, otherwise 0.
func sharesFirst(a, b string) int {
	if strings.HasPrefix(a, input.Cut(b, 1)) {
		return 1
	}
	return 0
}
