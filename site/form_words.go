package site

import (
	"storefront/shop/fault"
	"storefront/shop/locale"
)

// fieldTexts are the texts of invalid fields: by field and code, by code, or by field.
var fieldTexts = map[locale.Language]map[string]string{
	locale.English: {
		"phone required": "Enter your mobile number.", "name required": "Enter your name.",
		"phone invalid_value":      "Must be a mobile number of 11 digits, such as 01711-000000.",
		"code required":            "Enter the code of four digits.",
		"code invalid_value":       "Must be the four digits of the SMS.",
		"otp_invalid":              "This code is wrong or has expired. Enter it again, or let us send another.",
		"address required":         "Add a house, a road or a landmark, so that the courier finds you.",
		"city required":            "Enter your city or district.",
		"coupon_not_found":         "No coupon has this code.",
		"coupon_inactive":          "This coupon is not active.",
		"coupon_not_started":       "This coupon is not valid yet.",
		"coupon_expired":           "This coupon has ended.",
		"coupon_usage_limit":       "This coupon was used up.",
		"coupon_customer_limit":    "You have used this coupon already.",
		"coupon_not_applicable":    "This coupon is not for these products.",
		"coupon_requires_login":    "This coupon is for signed-in customers.",
		"delivery_charge_required": "Choose a delivery option.",
	},
	locale.Bangla: {
		"phone required": "আপনার মোবাইল নম্বর লিখুন।", "name required": "আপনার নাম লিখুন।",
		"phone invalid_value":      "১১ সংখ্যার মোবাইল নম্বর লিখুন, যেমন ০১৭১১-০০০০০০।",
		"code required":            "চার সংখ্যার কোডটি লিখুন।",
		"code invalid_value":       "এসএমএসের চারটি সংখ্যা লিখুন।",
		"otp_invalid":              "কোডটি ভুল বা মেয়াদ শেষ। আবার লিখুন, অথবা আরেকটি কোড নিন।",
		"address required":         "বাসা, রোড বা পরিচিত স্থান লিখুন, যাতে কুরিয়ার খুঁজে পায়।",
		"city required":            "আপনার শহর বা জেলা লিখুন।",
		"coupon_not_found":         "এই কোডের কোনো কুপন নেই।",
		"coupon_inactive":          "কুপনটি চালু নেই।",
		"coupon_not_started":       "কুপনটি এখনো শুরু হয়নি।",
		"coupon_expired":           "কুপনটির মেয়াদ শেষ।",
		"coupon_usage_limit":       "কুপনটি শেষ হয়ে গেছে।",
		"coupon_customer_limit":    "আপনি কুপনটি আগেই ব্যবহার করেছেন।",
		"coupon_not_applicable":    "কুপনটি এই পণ্যগুলোর জন্য নয়।",
		"coupon_min_subtotal":      "এই কুপনের জন্য আরও কিছু কিনতে হবে।",
		"coupon_requires_login":    "কুপনটি সাইন-ইন করা ক্রেতাদের জন্য।",
		"delivery_charge_required": "ডেলিভারির ধরন বাছুন।",
		"name":                     "নামটি ঠিক করে লিখুন।", "address": "ঠিকানাটি ঠিক করে লিখুন।", "city": "শহর বা জেলা ঠিক করে লিখুন।",
		"note": "নোটটি ছোট করে লিখুন।", "coupon": "কুপনের কোডটি দেখুন।", "payment": "অন্যভাবে পেমেন্ট করুন।",
	},
}

// formTexts are the texts of errors that concern the whole order.
var formTexts = map[locale.Language]map[fault.Code]string{
	locale.English: {
		fault.CodeOutOfStock:               "Something in your cart has just sold out. Check your cart.",
		fault.CodeQuantityLimit:            "The shop does not sell as many units in one order. Check your cart.",
		fault.CodeTooManyOpenOrders:        "You have several orders that the shop has not confirmed yet. Call the shop, or pay online.",
		fault.CodePhoneProofRequired:       "For this order the shop must verify your number. Pay online, or call the shop.",
		fault.CodePaymentMethodUnavailable: "This payment method is not available for this order. Choose another.",
		fault.CodeForbidden:                "The shop does not accept this order. Contact the shop.",
		fault.CodeIdempotencyKeyReused:     "An order was already placed from this page. Place another only if you want a second one.",
		fault.CodeRateLimited:              "Too many attempts. Wait a minute, then try again.",
		fault.CodeSMSUnavailable:           "The shop cannot send a code now. Try again later, or contact the shop.",
		fault.CodeNameRequired:             "Enter your name as well.",
		fault.CodeDeliveryRequired:         "Choose a delivery option.",
	},
	locale.Bangla: {
		fault.CodeOutOfStock:               "আপনার কার্টের একটি পণ্য এইমাত্র শেষ হয়ে গেছে। কার্ট দেখুন।",
		fault.CodeQuantityLimit:            "এক অর্ডারে এতগুলো বিক্রি হয় না। কার্ট দেখুন।",
		fault.CodeTooManyOpenOrders:        "আপনার কয়েকটি অর্ডার এখনো নিশ্চিত হয়নি। দোকানে কল করুন, অথবা অনলাইনে পেমেন্ট করুন।",
		fault.CodePhoneProofRequired:       "এই অর্ডারের জন্য আপনার নম্বর যাচাই করতে হবে। অনলাইনে পেমেন্ট করুন, অথবা দোকানে কল করুন।",
		fault.CodePaymentMethodUnavailable: "এই অর্ডারে এভাবে পেমেন্ট করা যায় না। অন্যটি বাছুন।",
		fault.CodeForbidden:                "দোকান এই অর্ডার নিতে পারছে না। দোকানে যোগাযোগ করুন।",
		fault.CodeIdempotencyKeyReused:     "এই পাতা থেকে একটি অর্ডার হয়ে গেছে। আরেকটি চাইলেই আবার অর্ডার করুন।",
		fault.CodeRateLimited:              "অনেকবার চেষ্টা হয়েছে। এক মিনিট পরে আবার করুন।",
		fault.CodeSMSUnavailable:           "দোকান এখন কোড পাঠাতে পারছে না। পরে চেষ্টা করুন, অথবা দোকানে যোগাযোগ করুন।",
		fault.CodeNameRequired:             "আপনার নামও লিখুন।",
		fault.CodeDeliveryRequired:         "ডেলিভারির ধরন বাছুন।",
	},
}
