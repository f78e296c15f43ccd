package account

import (
	"testing"

	"storefront/shop/locale"
	"storefront/shop/sender"
)

// Messages are in the shop's language, in one segment whatever the shop is called.
func TestSMSText_OneSegment(t *testing.T) {
	t.Parallel()
	const both = "Demo Shop — ডেমো শপ"
	for _, test := range []struct {
		language         locale.Language
		name             string
		code, set, moved string
	}{
		{locale.English, both, "1234 is your Demo Shop code. Do not share it.",
			"Demo Shop: A new password was set for your account. If this was not you, contact the shop.",
			"Demo Shop: The phone number and the e-mail address of your account was changed. If this was not you, contact the shop."},
		{locale.Bangla, both, "1234 আপনার ডেমো শপ কোড। কাউকে জানাবেন না।",
			"ডেমো শপ: পাসওয়ার্ড বদলেছে। আপনি না করলে দোকানে জানান।",
			"ডেমো শপ: ফোন নম্বর ও ই-মেইল বদলেছে। আপনি না করলে দোকানে জানান।"},
		{locale.Bangla, "বরেন্দ্র ঐতিহ্য হস্তশিল্প ও বুটিকস, রাজশাহী", "1234 আপনার বরেন্দ্র ঐতিহ্য হস্তশিল্প ও… কোড। কাউকে জানাবেন না।",
			"বরেন্দ্র ঐতিহ্য…: পাসওয়ার্ড বদলেছে। আপনি না করলে দোকানে জানান।",
			"বরেন্দ্র…: ফোন নম্বর ও ই-মেইল বদলেছে। আপনি না করলে দোকানে জানান।"},
	} {
		texts := smsTexts(test.language)
		for got, want := range map[string]string{
			sender.Compose(test.language, texts.code, test.name, "1234"):                                                      test.code,
			sender.Compose(test.language, texts.notice, test.name, texts.change([]accountChange{passwordChanged})):            test.set,
			sender.Compose(test.language, texts.notice, test.name, texts.change([]accountChange{phoneChanged, emailChanged})): test.moved,
		} {
			if segments := sender.Segments(got); got != want || segments != 1 {
				t.Errorf("got %q in %d segments, want %q in one", got, segments, want)
			}
		}
	}
}

// The line for phones costs no second segment: first the shop's name is cut, then the line is left
// out.
func TestCodeText_Host(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language   locale.Language
		name, host string
		want       string
	}{
		{locale.English, "Demo Shop", "demo.example", "1234 is your Demo Shop code. Do not share it.\n@demo.example #1234"},
		{locale.English, "Demo Shop", "", "1234 is your Demo Shop code. Do not share it."},
		{locale.Bangla, "শিমুল ঘর", "shimul.example", "1234 আপনার শিমুল ঘর কোড। কাউকে জানাবেন না।\n@shimul.example #1234"},
		{locale.Bangla, "বরেন্দ্র ঐতিহ্য হস্তশিল্প ও বুটিকস, রাজশাহী", "barendra.example",
			"1234 আপনার বরেন্দ্র… কোড। কাউকে জানাবেন না।\n@barendra.example #1234"},
		{locale.Bangla, "শিমুল ঘর", "shop.a-very-long-name.example", "1234 আপনার শিমুল ঘর কোড। কাউকে জানাবেন না।"},
	} {
		if got := codeText(test.language, test.name, "1234", test.host); got != test.want || sender.Segments(got) != 1 {
			t.Errorf("got %q in %d segments, want %q", got, sender.Segments(got), test.want)
		}
	}
}
