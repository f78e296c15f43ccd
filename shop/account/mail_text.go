package account

import (
	"fmt"
	"strings"
	"time"

	"storefront/shop/locale"
	"storefront/shop/sender"
)

// mailText has the texts of e-mails in one language. The code is in the text alone: mail servers
// log subjects, and screens show them while locked.
type mailText struct {
	language                          locale.Language
	signInSubject, signIn             string // shop; code, minutes, shop
	resetSubject, reset               string
	noticeSubject, passwordSet        string
	passwordEnded                     string
	emailChanged, phoneChanged, other string
	accountsJoined, accountDeleted    string
	passkeyAdded, passkeyRemoved      string
}

// mailTexts returns the texts in a language, English unless there are texts in it.
func mailTexts(language locale.Language) mailText {
	if language == locale.Bangla {
		return mailText{
			language:      locale.Bangla,
			signInSubject: "%s-এ সাইন ইন করার কোড",
			signIn:        "%[3]s-এ আপনার কোড:\n\n%[1]s\n\nকোডটি %[2]s মিনিট কাজ করবে। কাউকে জানাবেন না। আপনি না চেয়ে থাকলে এই ই-মেইলটি উপেক্ষা করুন।\n",
			resetSubject:  "%s: নতুন পাসওয়ার্ড দেওয়ার কোড",
			reset: "%[3]s-এ নতুন পাসওয়ার্ড দেওয়ার কোড:\n\n%[1]s\n\nকোডটি %[2]s মিনিট কাজ করবে। কাউকে জানাবেন না। " +
				"আপনি না চেয়ে থাকলে এই ই-মেইলটি উপেক্ষা করুন: আপনার পাসওয়ার্ড বদলায়নি।\n",
			noticeSubject: "%s: আপনার অ্যাকাউন্টে পরিবর্তন",
			passwordSet:   "আপনার অ্যাকাউন্টে নতুন পাসওয়ার্ড দেওয়া হয়েছে।",
			passwordEnded: "দোকান আপনার অ্যাকাউন্টের পাসওয়ার্ড বাতিল করেছে এবং সব জায়গা থেকে সাইন আউট করেছে। " +
				"কোড দিয়ে সাইন ইন করুন, তারপর নতুন পাসওয়ার্ড দিন।",
			emailChanged:   "আপনার অ্যাকাউন্টের ই-মেইল ঠিকানা বদলানো হয়েছে।",
			phoneChanged:   "আপনার অ্যাকাউন্টের ফোন নম্বর বদলানো হয়েছে।",
			accountsJoined: "আপনার দুটি অ্যাকাউন্ট একত্র করা হয়েছে।",
			accountDeleted: "আপনার অ্যাকাউন্ট মুছে ফেলা হয়েছে।",
			passkeyAdded:   "আপনার অ্যাকাউন্টে একটি পাসকি যোগ করা হয়েছে, যা দিয়ে সাইন ইন করা যায়।",
			passkeyRemoved: "আপনার অ্যাকাউন্ট থেকে একটি পাসকি সরানো হয়েছে।",
			other:          "এটি আপনি না করে থাকলে দোকানের সঙ্গে যোগাযোগ করুন।",
		}
	}
	return mailText{
		language:      locale.English,
		signInSubject: "Your code for %s",
		signIn: "Your code for %[3]s:\n\n%[1]s\n\nIt is valid for %[2]s minutes. Do not share it. If you did not request it, ignore this " +
			"e-mail.\n",
		resetSubject: "%s: set a new password",
		reset: "Your code to set a new password for %[3]s:\n\n%[1]s\n\nIt is valid for %[2]s minutes. Do not share it. If you did not " +
			"request it, ignore this e-mail: your password has not changed.\n",
		noticeSubject: "%s: your account was changed",
		passwordSet:   "A new password was set for your account.",
		passwordEnded: "The shop has ended the password of your account and signed you out everywhere. " +
			"Sign in with a code, then set a new password.",
		emailChanged:   "The e-mail address of your account was changed.",
		phoneChanged:   "The phone number of your account was changed.",
		accountsJoined: "Your two accounts were joined.",
		accountDeleted: "Your account was deleted.",
		passkeyAdded:   "A passkey was added to your account, and can sign in to it.",
		passkeyRemoved: "A passkey was removed from your account.",
		other:          "If this was not you, contact the shop.",
	}
}

// code returns the e-mail with a code.
func (t mailText) code(to, shopName, code, purpose string) sender.Email {
	subject, text := t.signInSubject, t.signIn
	if purpose == forReset {
		subject, text = t.resetSubject, t.reset
	}
	minutes := t.language.Digits(fmt.Sprint(int(EmailCodeLifetime / time.Minute)))
	return sender.Email{To: to, Subject: fmt.Sprintf(subject, shopName), Text: fmt.Sprintf(text, code, minutes, shopName)}
}

// notice returns an e-mail about changes of an account.
func (t mailText) notice(to, shopName string, changes []accountChange) sender.Email {
	var lines []string
	for _, change := range changes {
		lines = append(lines, map[accountChange]string{
			passwordChanged: t.passwordSet, passwordEnded: t.passwordEnded, emailChanged: t.emailChanged, phoneChanged: t.phoneChanged,
			accountsJoined: t.accountsJoined, accountDeleted: t.accountDeleted, passkeyAdded: t.passkeyAdded,
			passkeyRemoved: t.passkeyRemoved,
		}[change])
	}
	text := strings.Join(append(lines, t.other), "\n") + "\n"
	return sender.Email{To: to, Subject: fmt.Sprintf(t.noticeSubject, shopName), Text: text}
}
