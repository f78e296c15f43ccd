package staff

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A message with a code is in the member's language, and in one segment however long the name of
// the shop is: 70 characters if one of them is not in the GSM alphabet.
func TestPasswordCodeText(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("দোকান ঘর ", 20)
	for language, word := range map[Language]string{Bangla: "পাসওয়ার্ড", English: "password"} {
		text := passwordCodeText(language, "123456", name)
		if n := utf8.RuneCountInString(text); n > 70 || !strings.Contains(text, word) || !strings.HasPrefix(text, "123456") {
			t.Errorf("%s: got %q of %d characters, want at most 70 with the code first", language, text, n)
		}
	}
}
