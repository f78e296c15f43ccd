package cmd

import "testing"

func TestFitText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text    string
		width   int // of the whole text
		columns int
		want    string
	}{
		{"Lamp", 4, 4, "Lamp"},
		{"Lamp", 4, 3, "La…"},
		{"Café", 4, 4, "Café"},
		{"Cafe\u0301s", 5, 4, "Caf…"},
		{"বই", 2, 2, "বই"},
		{"কুকুর", 3, 3, "কুকুর"},                // ু has no width
		{"কুকুরছানা", 7, 4, "কুকুর…"},           // া has one
		{"মাটির মগ", 8, 5, "মাটি…"},             // a letter and its vowel sign stay together
		{"মাটির মগ", 8, 4, "মা…"},               //
		{"রক্ষা করুন", 8, 4, "র…"},              // so do joined letters
		{"茶 ফ্লাস্ক", 8, 4, "茶 …"},              // an ideograph has two columns
		{"family 👩‍👩‍👧 mug", 17, 9, "family …"}, // one letter of several runes
	} {
		if got := displayWidth(test.text); got != test.width {
			t.Errorf("%q: got width %d, want %d", test.text, got, test.width)
		}
		if got := fitText(test.text, test.columns); got != test.want {
			t.Errorf("%q in %d columns: got %q, want %q", test.text, test.columns, got, test.want)
		}
	}
}
