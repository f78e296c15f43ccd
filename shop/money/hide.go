package money

import (
	"regexp"
	"strings"
)

// Hidden replaces an amount that its reader may not see.
const Hidden = "•••"

// writtenAmount matches an amount with its currency before or after it, in Latin or Bangla digits.
var writtenAmount = regexp.MustCompile(`[-−]?(?:` + signs() + `)[\s\x{a0}]?[-−]?` + digitsOfAmount +
	`|` + digitsOfAmount + `[\s\x{a0}]?(?:টাকা|(?i:tk|taka|bdt)\b)`)

const digitsOfAmount = `[0-9০-৯](?:[0-9০-৯,.]*[0-9০-৯])?`

// signs returns an alternation of the signs and codes of currencies, which precede amounts.
func signs() string {
	all := []string{`(?i:\btk\.?)`, `\b[A-Z]{3} `}
	for _, sign := range symbols {
		all = append(all, regexp.QuoteMeta(sign))
	}
	return strings.Join(all, "|")
}

// Hide returns text with [Hidden] for each amount that it contains.
func Hide(text string) string {
	return writtenAmount.ReplaceAllStringFunc(text, func(amount string) string {
		code, rest, ok := strings.Cut(amount, " ")
		if ok && len(code) == 3 && strings.ToUpper(code) == code && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			if _, isCode := ParseCurrency(code); !isCode {
				return code + " " + rest
			}
		}
		return Hidden
	})
}
