package shop

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/db"
)

// Mask replaces secrets and the personal data of buyers in texts that leave the installation. The
// zero value masks by form alone: e-mail addresses, telephone numbers, paths of URLs, and encoded
// text.
type Mask struct {
	secrets []string        // the longest first
	words   map[string]bool // of buyers' names and addresses, in lower case
}

const masked = "***"

// Lengths that a value must have to be masked. Shorter ones would hide ordinary words.
const (
	minMaskedSecret = 4
	minMaskedWord   = 3
	minEncoded      = 8 // characters of base64
)

// maskedOrders is the number of the newest orders with buyers that [Mask] knows, beside the buyers
// of failures.
const maskedOrders = 1000

// FindMask returns the mask with the secrets of the shop and the words of buyers' names and
// addresses, for the command support. With an error, the mask has the values that were read.
func (s *Shop) FindMask(ctx context.Context) (*Mask, error) {
	m := &Mask{words: map[string]bool{}}
	err := s.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) error { return m.addBuyers(tx) })
	secretsErr := s.secrets.OpenAll(ctx, m.addSecret)
	slices.SortFunc(m.secrets, func(a, b string) int { return len(b) - len(a) })
	return m, errors.Join(err, secretsErr)
}

const buyerTexts = `SELECT customer_name, line1, line2, area, city, note FROM orders `

func (m *Mask) addBuyers(tx *db.Tx) error {
	add := func(r db.Row) (struct{}, error) {
		var texts [6]string
		err := r.Scan(&texts[0], &texts[1], &texts[2], &texts[3], &texts[4], &texts[5])
		for _, text := range texts {
			m.addWords(text)
		}
		return struct{}{}, err
	}
	if _, err := db.Query(tx, add, buyerTexts+`ORDER BY number DESC LIMIT ?`, maskedOrders); err != nil {
		return fmt.Errorf("read buyers: %w", err)
	}
	failures, err := findFailures(tx)
	if err != nil {
		return err
	}
	for _, f := range failures {
		if f.order == "" {
			continue
		}
		key, err := strconv.ParseInt(f.order, 10, 64)
		if err == nil {
			_, err = db.Query(tx, add, buyerTexts+`WHERE number = ?`, key)
		} else {
			_, err = db.Query(tx, add, buyerTexts+`WHERE id = ?`, f.order)
		}
		if err != nil {
			return fmt.Errorf("read the buyer of a failure: %w", err)
		}
	}
	return nil
}

func (m *Mask) addWords(text string) {
	for _, word := range wordPattern.FindAllString(strings.ToLower(text), -1) {
		if utf8.RuneCountInString(word) >= minMaskedWord {
			m.words[word] = true
		}
	}
}

// addSecret adds a secret, or if it is a JSON document the texts in it.
func (m *Mask) addSecret(_ string, plain []byte) error {
	m.secrets = append(m.secrets, base64.StdEncoding.EncodeToString(plain))
	var document any
	if !utf8.Valid(plain) {
		return nil
	}
	if json.Unmarshal(plain, &document) != nil {
		document = string(plain)
	}
	eachText(document, func(text string) {
		if len(text) >= minMaskedSecret {
			m.secrets = append(m.secrets, text)
		}
	})
	return nil
}

// Show makes the mask leave the texts in a JSON document, which are settings of providers that are
// no secrets.
func (m *Mask) Show(document any) {
	shown := map[string]bool{}
	eachText(document, func(text string) { shown[text] = true })
	m.secrets = slices.DeleteFunc(m.secrets, func(s string) bool { return shown[s] })
}

// eachText calls fn with each text in a decoded JSON document.
func eachText(document any, fn func(text string)) {
	switch v := document.(type) {
	case string:
		fn(v)
	case []any:
		for _, inner := range v {
			eachText(inner, fn)
		}
	case map[string]any:
		for _, inner := range v {
			eachText(inner, fn)
		}
	}
}

// maxMaskedText is the maximum length of a text in bytes. Longer ones are texts of the shop, such
// as its policies.
const maxMaskedText = 2000

// Document returns a decoded JSON document with each text masked. Names of fields stay.
func (m *Mask) Document(document any) any {
	switch v := document.(type) {
	case string:
		return m.Text(v)
	case []any:
		for i := range v {
			v[i] = m.Document(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = m.Document(v[name])
		}
	}
	return document
}

var (
	// wordPattern matches a word of letters with their vowel signs.
	wordPattern = regexp.MustCompile(`[\p{L}\p{M}\x{200C}\x{200D}]+`)
	// urlPattern matches a URL: scheme, user, host, and the rest, which may be a secret.
	urlPattern   = regexp.MustCompile(`([a-z]+://)([^\s/@"'<>]*@)?([^\s/?#"'<>]*)([/?#][^\s"'<>]*)?`)
	emailPattern = regexp.MustCompile(`[^\s@<>"'(),;:=]+@[^\s@<>"'(),;:=]+`)
	// escapedPattern matches a word with escapes of a URL or of JSON.
	escapedPattern = regexp.MustCompile(`[^\s"'&=]*(?:%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})[^\s"'&=]*`)
	tokenPattern   = regexp.MustCompile(`\b(?:sfa|whsec|cst)_[\w+/=-]+|\b[0-9a-f]{32,}\b`)
	encodedPattern = regexp.MustCompile(`[A-Za-z0-9+/_-]{4,}={0,2}`)
	// numberPattern matches seven digits or more in groups, as in a telephone number.
	numberPattern = regexp.MustCompile(`\+?\p{Nd}(?:[\s().-]{0,2}\p{Nd}){6,}`)
	datePattern   = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)
)

// Text returns a text with the secrets and the personal data of buyers replaced by ***.
func (m *Mask) Text(text string) string {
	if len(text) > maxMaskedText {
		return fmt.Sprintf("%s (%d bytes)", masked, len(text))
	}
	for _, s := range m.secrets {
		text = strings.ReplaceAll(text, s, masked)
	}
	text = urlPattern.ReplaceAllStringFunc(text, maskURL)
	text = escapedPattern.ReplaceAllString(text, masked)
	text = emailPattern.ReplaceAllString(text, masked)
	text = tokenPattern.ReplaceAllString(text, masked)
	text = encodedPattern.ReplaceAllStringFunc(text, m.maskEncoded)
	text = numberPattern.ReplaceAllStringFunc(text, maskNumber)
	return wordPattern.ReplaceAllStringFunc(text, func(word string) string {
		if m.words[strings.ToLower(word)] {
			return masked
		}
		return word
	})
}

func maskURL(url string) string {
	parts := urlPattern.FindStringSubmatch(url)
	if len(parts[4]) > 1 {
		parts[4] = "/" + masked
	}
	return parts[1] + parts[3] + parts[4]
}

// maskNumber masks a number, except a date at its beginning.
func maskNumber(number string) string {
	date := datePattern.FindString(number)
	if rest := number[len(date):]; date == "" || numberPattern.MatchString(rest) {
		return date + masked
	}
	return number
}

// maskEncoded masks a word that is text in base64: readable, or a known word.
func (m *Mask) maskEncoded(word string) string {
	digits := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(word, "="))
	plain, err := base64.RawStdEncoding.DecodeString(digits)
	if err != nil || !utf8.Valid(plain) {
		return word
	}
	text := string(plain)
	for _, known := range wordPattern.FindAllString(strings.ToLower(text), -1) {
		if m.words[known] {
			return masked
		}
	}
	if len(word) < minEncoded || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return word
	}
	return masked
}
