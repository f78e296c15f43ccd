package sender

import (
	"fmt"
	"strings"

	"storefront/shop/locale"
)

// testText has the texts of test messages in one language, with the shop's name as their value.
type testText struct{ sms, subject, mail string }

func testTexts(language locale.Language) testText {
	if language == locale.Bangla {
		return testText{
			sms:     "%s-এর পরীক্ষামূলক বার্তা।",
			subject: "%s: পরীক্ষামূলক ই-মেইল",
			mail:    "এটি %s-এর একটি পরীক্ষামূলক ই-মেইল।\n",
		}
	}
	return testText{
		sms:     "A test message of %s.",
		subject: "Test e-mail of %s",
		mail:    "This is a test e-mail of %s.\n",
	}
}

// The characters of a shop's name in a text message.
const (
	maxNameInSMS = 30
	minNameInSMS = 12
)

// Compose returns a text message with values and, as the last of them, the shop's name, which is
// cut after a word so that the message fits in one segment, if possible.
func Compose(language locale.Language, format, shopName string, values ...any) string {
	name := []rune(locale.NameIn(language, shopName))
	for limit := maxNameInSMS; ; limit-- {
		short := string(name)
		if len(name) > limit {
			short = strings.TrimSpace(string(name[:limit-1]))
			if words := strings.LastIndexByte(short, ' '); words > 0 {
				short = short[:words]
			}
			short += "…"
		}
		text := fmt.Sprintf(format, append(values, short)...)
		if limit == minNameInSMS || Segments(text) == 1 {
			return text
		}
	}
}
