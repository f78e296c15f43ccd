package account

import (
	"fmt"
	"strings"

	"storefront/shop/locale"
	"storefront/shop/sender"
)

// smsText has the texts of messages in one language. The shop's name is the last value of each
// format.
type smsText struct {
	code                                            string // code; shop
	notice                                          string // changes; shop
	passwordSet, passwordEnded                      string
	accountsJoined, accountDeleted                  string
	passkeyAdded, passkeyRemoved                    string
	contactChanged, phoneChanged, emailChanged, and string // contactChanged of what has changed
}

// smsTexts returns the texts in a language, English unless there are texts in it. Digits are ASCII,
// so that phones recognize codes.
func smsTexts(language locale.Language) smsText {
	if language == locale.Bangla {
		return smsText{
			code:           "%[1]s আপনার %[2]s কোড। কাউকে জানাবেন না।",
			notice:         "%[2]s: %[1]s আপনি না করলে দোকানে জানান।",
			passwordSet:    "পাসওয়ার্ড বদলেছে।",
			passwordEnded:  "দোকান আপনার পাসওয়ার্ড বাতিল করেছে: কোড দিয়ে সাইন ইন করুন।",
			accountsJoined: "দুটি অ্যাকাউন্ট এক হয়েছে।",
			accountDeleted: "অ্যাকাউন্ট মুছে গেছে।",
			passkeyAdded:   "অ্যাকাউন্টে একটি পাসকি যোগ হয়েছে।", passkeyRemoved: "একটি পাসকি সরানো হয়েছে।",
			contactChanged: "%s বদলেছে।",
			phoneChanged:   "ফোন নম্বর", emailChanged: "ই-মেইল", and: " ও ",
		}
	}
	return smsText{
		code:           "%[1]s is your %[2]s code. Do not share it.",
		notice:         "%[2]s: %[1]s If this was not you, contact the shop.",
		passwordSet:    "A new password was set for your account.",
		passwordEnded:  "The shop has ended your password: sign in with a code.",
		accountsJoined: "Your two accounts were joined.",
		accountDeleted: "Your account was deleted.",
		passkeyAdded:   "A passkey was added to your account.", passkeyRemoved: "A passkey was removed from your account.",
		contactChanged: "The %s of your account was changed.",
		phoneChanged:   "phone number", emailChanged: "e-mail address", and: " and the ",
	}
}

// codeText returns the message with a code. Its last line binds the code to the host of the page,
// where alone a phone offers it. It is left out if the message would need a second segment. The
// format is from WICG's "Origin-bound one-time codes delivered via SMS".
func codeText(language locale.Language, shopName, code, host string) string {
	format := smsTexts(language).code
	if host != "" {
		text := sender.Compose(language, format+"\n@"+strings.ReplaceAll(host, "%", "")+" #%[1]s", shopName, code)
		if sender.Segments(text) == 1 {
			return text
		}
	}
	return sender.Compose(language, format, shopName, code)
}

// change returns the sentence about changes of an account.
func (t smsText) change(changes []accountChange) string {
	switch changes[0] {
	case passwordChanged:
		return t.passwordSet
	case passwordEnded:
		return t.passwordEnded
	case accountsJoined:
		return t.accountsJoined
	case accountDeleted:
		return t.accountDeleted
	case passkeyAdded:
		return t.passkeyAdded
	case passkeyRemoved:
		return t.passkeyRemoved
	}
	var contacts []string
	for _, change := range changes {
		contacts = append(contacts, map[accountChange]string{phoneChanged: t.phoneChanged, emailChanged: t.emailChanged}[change])
	}
	return fmt.Sprintf(t.contactChanged, strings.Join(contacts, t.and))
}
