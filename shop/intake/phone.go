package intake

import (
	"strings"

	"storefront/shop/phone"
)

// maxDigits is the maximum number of digits of a phone number in E.164.
const maxDigits = 15

// findPhone returns the first phone number of a line, and the line without it.
func findPhone(line, country string) (e164, without string, ok bool) {
	for start, r := range line {
		if !isDigit(r) && r != '+' || start > 0 && isDigit(rune(line[start-1])) {
			continue
		}
		ends := digitEnds(line, start)
		for n := len(ends) - 1; n >= 6; n-- {
			end := ends[n]
			if end < len(line) && isDigit(rune(line[end])) {
				continue
			}
			if e164, ok = phone.Parse(line[start:end], country); ok {
				return e164, withoutPhoneLabel(line[:start]) + " " + line[end:], true
			}
		}
	}
	return "", line, false
}

// digitEnds returns the positions after each of the digits, at most maxDigits, that may be of one
// phone number, which begins at start.
func digitEnds(line string, start int) (ends []int) {
	for i := start; i < len(line) && len(ends) < maxDigits; i++ {
		switch c := rune(line[i]); {
		case isDigit(c):
			ends = append(ends, i+1)
		case c == '+' && i == start, strings.ContainsRune(" -().", c):
		default:
			return ends
		}
	}
	return ends
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
