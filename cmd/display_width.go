package cmd

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/text/width"
)

// Written by hand: uniseg measures a letter with its marks as one, which terminals that follow
// wcwidth do not.

// displayWidth returns how many columns of a terminal a text occupies, by the rule of the C
// library's wcwidth, which most terminals follow: a mark without a width of its own, such as the
// Bangla sign ু, occupies none, and a mark beside its letter, such as া, one. Terminals that draw
// a letter with its marks in fewer columns have space left.
func displayWidth(text string) (columns int) {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case isWide(r):
			columns += 2
		default:
			columns++
		}
	}
	return columns
}

func isWide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// hasanta joins the Bangla letters around it.
const hasanta = "\u09cd"

// fitText shortens a text to a number of columns, the last of them an ellipsis. Letters retain
// their marks.
func fitText(text string, columns int) string {
	if displayWidth(text) <= columns {
		return text
	}
	end, left := 0, columns-1
	for rest, state := text, -1; rest != ""; {
		var letter string
		letter, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		for strings.HasSuffix(letter, hasanta) && rest != "" {
			var joined string
			joined, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			letter += joined
		}
		if left -= displayWidth(letter); left < 0 {
			break
		}
		end += len(letter)
	}
	return text[:end] + "…"
}
