package print

import (
	"storefront/shop/locale"
	"storefront/shop/order"
)

// words are the words of the documents, in English and in Bangla.
var words = map[string][2]string{
	"label":        {"Label", "লেবেল"},
	"invoice":      {"Invoice", "ইনভয়েস"},
	"receipt":      {"Receipt", "রসিদ"},
	"packing":      {"Packing slip", "প্যাকিং স্লিপ"},
	"picklist":     {"Pick list", "পণ্য তোলার তালিকা"},
	"handover":     {"Handover sheet", "কুরিয়ার হস্তান্তর"},
	"order":        {"Order", "অর্ডার"},
	"orders":       {"Orders", "অর্ডার"},
	"collect":      {"Collect cash", "নগদ আদায় করুন"},
	"paid":         {"Paid: collect nothing", "পরিশোধিত: কিছু নেবেন না"},
	"closed":       {"Do not deliver", "ডেলিভারি করবেন না"},
	"to":           {"To", "প্রাপক"},
	"piece":        {"1 piece", "১টি পণ্য"},
	"pieces":       {"%s pieces", "%sটি পণ্য"},
	"item":         {"Item", "পণ্য"},
	"quantity":     {"Qty", "সংখ্যা"},
	"price":        {"Price", "দাম"},
	"amount":       {"Amount", "টাকা"},
	"subtotal":     {"Subtotal", "পণ্যের দাম"},
	"discount":     {"Discount", "ছাড়"},
	"quantities":   {"Quantity discount", "একসাথে কেনার ছাড়"},
	"delivery":     {"Delivery", "ডেলিভারি"},
	"rounding":     {"Rounding", "খুচরা বাদ"},
	"total":        {"Total", "মোট"},
	"advance":      {"Advance", "অগ্রিম"},
	"due":          {"To pay", "বাকি"},
	"received":     {"Paid", "পরিশোধিত"},
	"returned":     {"Returned", "ফেরত"},
	"refunded":     {"Refunded", "টাকা ফেরত"},
	"follow":       {"Scan to follow the order.", "অর্ডার দেখতে স্ক্যান করুন।"},
	"thanks":       {"Thank you!", "ধন্যবাদ!"},
	"taxId":        {"Tax ID", "ট্যাক্স আইডি"},
	"note":         {"Note", "নোট"},
	"packed":       {"Packed by", "প্যাক করেছেন"},
	"courier":      {"Courier", "কুরিয়ার"},
	"consignment":  {"Consignment", "কনসাইনমেন্ট"},
	"recipient":    {"Recipient", "প্রাপক"},
	"cash":         {"Cash", "নগদ"},
	"shipments":    {"%s shipments", "%sটি পার্সেল"},
	"shipment":     {"1 shipment", "১টি পার্সেল"},
	"given":        {"For the shop", "দোকানের পক্ষে"},
	"taken":        {"Received by (rider)", "রাইডারের স্বাক্ষর"},
	"when":         {"Date and time", "তারিখ ও সময়"},
	"nothing":      {"None of these orders has a shipment under way.", "এই অর্ডারগুলোর কোনো পার্সেল চলতি নেই।"},
	"test":         {"TEST", "পরীক্ষা"},
	"cod":          {"Cash on delivery", "ক্যাশ অন ডেলিভারি"},
	"gateway_a":    {"Online", "অনলাইন"},
	"gateway_b":    {"Online", "অনলাইন"},
	"bkash":        {"bKash", "বিকাশ"},
	"nagad":        {"Nagad", "নগদ"},
	"rocket":       {"Rocket", "রকেট"},
	"bank":         {"Bank", "ব্যাংক"},
	"advance_cash": {"Cash", "নগদ টাকা"},
	"other":        {"Other", "অন্য"},
}

// word returns a word in a language, or the key if there is none.
func word(language locale.Language, key string) string {
	both, ok := words[key]
	switch {
	case !ok:
		return key
	case language == locale.Bangla:
		return both[1]
	}
	return both[0]
}

// other returns the other language. Labels repeat the words for the rider in it.
func other(language locale.Language) locale.Language {
	if language == locale.Bangla {
		return locale.English
	}
	return locale.Bangla
}

// advanceWord returns the key of the word for the method of an advance.
func advanceWord(method order.AdvanceMethod) string {
	if method == "cash" {
		return "advance_cash"
	}
	return string(method)
}
