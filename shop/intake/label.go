package intake

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Words before a colon that name the part after it, in English and Bangla.
var (
	nameLabels    = []string{"name", "customer name", "নাম", "আমার নাম"}
	addressLabels = []string{
		"address",
		"full address",
		"delivery address",
		"ঠিকানা",
		"পূর্ণ ঠিকানা",
	}
	phoneLabels = []string{
		"phone",
		"mobile",
		"number",
		"contact",
		"phone number",
		"mobile number",
		"phone no",
		"mobile no",
		"মোবাইল",
		"ফোন",
		"নাম্বার",
		"মোবাইল নাম্বার",
		"ফোন নাম্বার",
		"নম্বর",
		"মোবাইল নম্বর",
		"ফোন নম্বর",
	}
	quantityLabels = []string{
		"quantity",
		"qty",
		"order",
		"product",
		"পরিমাণ",
		"অর্ডার",
		"প্রোডাক্ট",
		"পণ্য",
	}
)

// inlineLabelPattern matches a label inside a line that begins with one. It leaves out words that
// addresses also have before a colon, such as number.
var inlineLabelPattern = regexp.MustCompile(
	`(?i)[ ,;।]+(` + norm.NFC.String(
		`phone number|mobile number|phone|mobile|contact|full address|`+
			`delivery address|address|quantity|qty|product|মোবাইল নাম্বার|ফোন নাম্বার|মোবাইল|ফোন|পূর্ণ ঠিকানা|ঠিকানা|পরিমাণ|প্রোডাক্ট|পণ্য`,
	) + `)\s*[:：=]`,
)

// Whole words that buyers write around a name and around the goods.
var (
	greetingPattern = regexp.MustCompile(
		`^(?i:(?:আপু|আপা|ভাই|ভাইয়া|আসসালামু আলাইকুম|সালাম|হ্যালো|আমি|আমার নাম|` +
			`assalamu ?alaikum|asslamu ?alaikum|salam|hello|hi|dear|apu|apa|bhai|bhaiya|vai|vaiya|ami|i am|my name is)[ ,.।!]+)+`,
	)
	requestPattern = regexp.MustCompile(
		`(?i: +(?:(?:নিতে|কিনতে|অর্ডার করতে) চাই|(?:nite|kinte|order korte) chai|chai|nibo|` +
			`দিবেন|দেবেন|দিয়েন|দেন|দিন|লাগবে|চাই|নিব|নিবো|নেব|নেবো|প্লিজ|diben|lagbe|please|plz))+$`,
	)
)

// splitLabel returns the field that a line's label names, and the text after it. label is "" if the
// line has no known label.
func splitLabel(line string) (label, value string) {
	i := strings.IndexAny(line, ":：=-–")
	if i < 0 {
		return "", line
	}
	_, size := utf8.DecodeRuneInString(line[i:])
	word, value := strings.ToLower(strings.TrimSpace(line[:i])), strings.TrimSpace(line[i+size:])
	for _, known := range []struct {
		label string
		words []string
	}{{"name", nameLabels}, {"address", addressLabels}, {"phone", phoneLabels}, {"quantity", quantityLabels}} {
		for _, w := range known.words {
			if word == w {
				return known.label, value
			}
		}
	}
	return "", line
}

// withoutPhoneLabel returns the text before a phone number, without a label for it that has no
// colon.
func withoutPhoneLabel(before string) string {
	text := strings.TrimRight(before, " .:")
	for _, label := range slices.Backward(phoneLabels) { // "ফোন নম্বর" before "নম্বর"
		rest, ok := strings.CutSuffix(strings.ToLower(text), label)
		if ok && len(strings.ToLower(text)) == len(text) &&
			(rest == "" || strings.HasSuffix(rest, " ") || strings.HasSuffix(rest, ",")) {
			return text[:len(rest)]
		}
	}
	return before
}

// withoutGreeting returns the text after a greeting or "I am". A greeting alone is no name.
func withoutGreeting(line string) string {
	return strings.TrimSpace(greetingPattern.ReplaceAllString(line+" ", ""))
}
