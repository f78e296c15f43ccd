package orderpage

import (
	"storefront/shop/locale"
	"storefront/shop/order"
)

// advanceWords are the texts about an advance in one language.
type advanceWords struct {
	Due, Received, Rest, Next              string
	SendMoney, MakePayment, Transfer, Copy string
	Wallet, Sender, Transaction, Send      string
	Hint, Sent                             string
	Incomplete, NotDue, Used, TooMany      string
	Wait                                   string
	Why                                    map[order.AdvanceReason]string
	Method                                 map[order.AdvanceMethod]string
	Status                                 map[order.WalletStatus]string
}

var advanceWordsOf = map[locale.Language]*advanceWords{
	locale.English: {
		Due: "To pay in advance:", Received: "Received in advance:", Rest: "To pay on delivery:",
		Next:      "Pay the advance, and the shop prepares your order.",
		SendMoney: "Send money", MakePayment: "Make a payment", Transfer: "Bank transfer with the order number as its reference",
		Copy: "Copy", Wallet: "Sent to", Sender: "Your number or account", Transaction: "Transaction ID", Send: "I have paid",
		Hint:       "The transaction ID is in the message that your wallet has sent you.",
		Sent:       "Thank you. The shop checks your payment.",
		Incomplete: "Enter the number that you have paid from, and the transaction ID of at least four characters.",
		NotDue:     "Nothing is to be paid in advance any more.",
		Used:       "This transaction ID was used before. Check it.",
		TooMany:    "Too many payments were reported for this order. Contact the shop.",
		Wait:       "Too many attempts. Wait a minute, then try again.",
		Why: map[order.AdvanceReason]string{
			order.AdvanceForArea:   "The shop requires it for this delivery area.",
			order.AdvanceForAmount: "The shop requires it for orders of this amount.",
			order.AdvanceForNew:    "The shop requires it for first orders.",
			order.AdvanceByShop:    "The shop requires it before it sends your order.",
		},
		Method: map[order.AdvanceMethod]string{
			order.AdvanceBkash: "bKash", order.AdvanceNagad: "Nagad", order.AdvanceRocket: "Rocket", order.AdvanceUpay: "Upay",
			order.AdvanceBank: "Bank",
		},
		Status: map[order.WalletStatus]string{
			order.WalletWaiting:   "the shop is checking it.",
			order.WalletConfirmed: "received.",
			order.WalletRefused:   "not found.",
		},
	},
	locale.Bangla: {
		Due: "অগ্রিম দিতে হবে:", Received: "অগ্রিম পাওয়া গেছে:", Rest: "ডেলিভারিতে দিতে হবে:",
		Next:      "অগ্রিম দিলে দোকান আপনার অর্ডার তৈরি করবে।",
		SendMoney: "সেন্ড মানি করুন", MakePayment: "পেমেন্ট করুন", Transfer: "রেফারেন্সে অর্ডার নম্বর দিয়ে ব্যাংক ট্রান্সফার করুন",
		Copy: "কপি", Wallet: "যে নম্বরে পাঠিয়েছেন", Sender: "আপনার নম্বর বা অ্যাকাউন্ট", Transaction: "ট্রানজ্যাকশন আইডি", Send: "টাকা পাঠিয়েছি",
		Hint:       "ট্রানজ্যাকশন আইডি আপনার ওয়ালেটের মেসেজে আছে।",
		Sent:       "ধন্যবাদ। দোকান আপনার পেমেন্ট যাচাই করছে।",
		Incomplete: "যে নম্বর থেকে টাকা পাঠিয়েছেন এবং অন্তত চার অক্ষরের ট্রানজ্যাকশন আইডি লিখুন।",
		NotDue:     "এখন আর অগ্রিম দিতে হবে না।",
		Used:       "এই ট্রানজ্যাকশন আইডি আগে ব্যবহার হয়েছে। আবার দেখুন।",
		TooMany:    "এই অর্ডারে অনেকবার পেমেন্ট জানানো হয়েছে। দোকানে যোগাযোগ করুন।",
		Wait:       "অনেকবার চেষ্টা হয়েছে। এক মিনিট পরে আবার করুন।",
		Why: map[order.AdvanceReason]string{
			order.AdvanceForArea:   "এই এলাকার জন্য দোকান অগ্রিম নেয়।",
			order.AdvanceForAmount: "এই পরিমাণের অর্ডারে দোকান অগ্রিম নেয়।",
			order.AdvanceForNew:    "প্রথম অর্ডারে দোকান অগ্রিম নেয়।",
			order.AdvanceByShop:    "অর্ডার পাঠানোর আগে দোকান অগ্রিম নেয়।",
		},
		Method: map[order.AdvanceMethod]string{
			order.AdvanceBkash: "বিকাশ", order.AdvanceNagad: "নগদ", order.AdvanceRocket: "রকেট", order.AdvanceUpay: "উপায়",
			order.AdvanceBank: "ব্যাংক",
		},
		Status: map[order.WalletStatus]string{
			order.WalletWaiting:   "দোকান যাচাই করছে।",
			order.WalletConfirmed: "পাওয়া গেছে।",
			order.WalletRefused:   "পাওয়া যায়নি।",
		},
	},
}
