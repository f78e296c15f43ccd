package account

import (
	"fmt"
	"strings"
)

// smsText has the texts of messages in one language. The shop's name is the last value of each
// format.
type smsText struct {
	language                                        Language
	code                                            string // code; shop
	test                                            string // shop
	notice                                          string // changes; shop
	passwordSet, accountsJoined, accountDeleted     string
	contactChanged, phoneChanged, emailChanged, and string // contactChanged of what has changed
}

// smsTexts returns the texts in a language, English unless there are texts in it. Digits are ASCII,
// so that phones recognize codes.
func smsTexts(language Language) smsText {
	if language == Bangla {
		return smsText{
			language:       Bangla,
			code:           "%[1]s আপনার %[2]s কোড। কাউকে জানাবেন না।",
			test:           "%s-এর পরীক্ষামূলক বার্তা।",
			notice:         "%[2]s: %[1]s আপনি না করলে দোকানে জানান।",
			passwordSet:    "পাসওয়ার্ড বদলেছে।",
			accountsJoined: "দুটি অ্যাকাউন্ট এক হয়েছে।",
			accountDeleted: "অ্যাকাউন্ট মুছে গেছে।",
			contactChanged: "%s বদলেছে।",
			phoneChanged:   "ফোন নম্বর", emailChanged: "ই-মেইল", and: " ও ",
		}
	}
	return smsText{
		language:       English,
		code:           "%[1]s is your %[2]s code. Do not share it.",
		test:           "A test message of %s.",
		notice:         "%[2]s: %[1]s If this was not you, contact the shop.",
		passwordSet:    "A new password was set for your account.",
		accountsJoined: "Your two accounts were joined.",
		accountDeleted: "Your account was deleted.",
		contactChanged: "The %s of your account was changed.",
		phoneChanged:   "phone number", emailChanged: "e-mail address", and: " and the ",
	}
}

// change returns the sentence about changes of an account.
func (t smsText) change(changes []accountChange) string {
	switch changes[0] {
	case passwordChanged:
		return t.passwordSet
	case accountsJoined:
		return t.accountsJoined
	case accountDeleted:
		return t.accountDeleted
	}
	var contacts []string
	for _, change := range changes {
		contacts = append(contacts, map[accountChange]string{phoneChanged: t.phoneChanged, emailChanged: t.emailChanged}[change])
	}
	return fmt.Sprintf(t.contactChanged, strings.Join(contacts, t.and))
}

// The characters of a shop's name in a message.
const (
	maxNameInSMS = 30
	minNameInSMS = 12
)

// compose returns a message with values and the shop's name, which is cut after a word so that
// the message fits in one segment, if possible.
func (t smsText) compose(format, shopName string, values ...any) string {
	name := []rune(NameIn(t.language, shopName))
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
		if limit == minNameInSMS || SMSSegments(SMSText(text)) == 1 {
			return text
		}
	}
}
