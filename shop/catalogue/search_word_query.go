package catalogue

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"storefront/db"
	"storefront/shop/input"
)

// wordsAtOnce is the number of words that one statement inserts.
const wordsAtOnce = 8

var insertWord, insertManyWords = wordInsertion(1), wordInsertion(wordsAtOnce)

func wordInsertion(n int) string {
	return `
		INSERT INTO search_words (length, word, reversed, sound)
		VALUES (?, ?, ?, ?)` + strings.Repeat(", (?, ?, ?, ?)", n-1) + `
		ON CONFLICT DO NOTHING`
}

// insertWords inserts the words that the table lacks. Words that no product has any more stay until
// RebuildSearch; a correction to one of them matches nothing.
func insertWords(tx *db.Tx, words []string) error {
	for len(words) > 0 {
		n, query := 1, insertWord
		if len(words) >= wordsAtOnce {
			n, query = wordsAtOnce, insertManyWords
		}
		args := make([]any, 0, 4*n)
		for _, word := range words[:n] {
			args = append(args, utf8.RuneCountInString(word), word, reversed(word), input.Sound(word))
		}
		if err := tx.Do(query, args...); err != nil {
			return fmt.Errorf("insert words of the search index: %w", err)
		}
		words = words[n:]
	}
	return nil
}

// maxSimilar limits the words that are read for one correction, by its beginning and by its end.
const maxSimilar = 1000

// The words of these three lengths with a range of beginnings, or of ends.
const (
	similarByBeginning = `
		SELECT w.word
		FROM search_words w
		WHERE w.length IN (?, ?, ?) AND w.word >= ? AND w.word < ?
		ORDER BY w.length, w.word
		LIMIT ?`
	similarByEnd = `
		SELECT w.word
		FROM search_words w
		WHERE w.length IN (?, ?, ?) AND w.reversed >= ? AND w.reversed < ?
		ORDER BY w.length, w.reversed
		LIMIT ?`
)

// findSimilarWords returns words of products one edit away from word. One edit leaves either the
// first or the last half of a word unchanged, so only words with the same half are read.
func findSimilarWords(tx *db.Tx, word []rune) ([]string, error) {
	n := len(word)
	half := n / 2
	ends := slices.Clone(word[half+1:]) // without the middle letter: two neighbours may be swapped there
	slices.Reverse(ends)
	var found []string
	for _, half := range []struct{ query, from string }{
		{similarByBeginning, string(word[:half])}, {similarByEnd, string(ends)},
	} {
		words, err := db.Query(tx, db.ScanText, half.query, n-1, n, n+1, half.from, half.from+string(utf8.MaxRune), maxSimilar)
		if err != nil {
			return nil, fmt.Errorf("find similar words: %w", err)
		}
		for _, other := range words {
			letters := []rune(other)
			if max(n, len(letters)) >= minCorrectedLetters && input.IsOneEditApart(word, letters) && !slices.Contains(found, other) {
				found = append(found, other)
			}
		}
	}
	return found, nil
}

// maxSounding limits the words that are read for one sound.
const maxSounding = 20

const sounding = `
	SELECT w.word
	FROM search_words w
	WHERE w.sound = ?
	ORDER BY w.word
	LIMIT ?`

// findSoundingWords returns words of products that sound like a word, in another script too.
func findSoundingWords(tx *db.Tx, word string) ([]string, error) {
	sound := input.Sound(word)
	if len(sound) < 2 {
		return nil, nil
	}
	words, err := db.Query(tx, db.ScanText, sounding, sound, maxSounding)
	if err != nil {
		return nil, fmt.Errorf("find words by their sound: %w", err)
	}
	return words, nil
}
