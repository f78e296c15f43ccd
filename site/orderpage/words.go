package orderpage

import (
	"strconv"
	"time"

	"storefront/shop/locale"
	"storefront/shop/order"
	"storefront/shop/status"
)

// words are the texts of the page of an order in one language.
type words struct {
	Other                                            string // the name of the other language, in that language
	Order, Items, Total, DeliveredTo, Questions      string
	Discount, Delivery, Rounding, Returned, Pay      string
	CashDue, NotFound, NotFoundText, Closed, TooMany string
	StartFailed, Test                                string
	Steps                                            [4]string
	Status                                           map[status.Order]string
	Fulfillment                                      map[status.Fulfillment]string
	Next                                             map[status.Order]string // what happens next
	OnItsWay                                         string                  // likewise, once the courier has it
	Payment                                          map[status.Payment]string
	Result                                           map[order.ReturnResult]string
	Shipment                                         map[status.Shipment]string
	Months                                           [12]string
}

// wordsOf are the texts of the page of an order by language.
var wordsOf = map[locale.Language]*words{
	locale.English: {
		Other:        "English",
		Order:        "Order",
		Items:        "Items",
		Total:        "Total",
		DeliveredTo:  "Delivered to",
		Questions:    "Questions?",
		Discount:     "Discount",
		Delivery:     "Delivery",
		Rounding:     "Rounding",
		Returned:     "Returned",
		Pay:          "Pay",
		CashDue:      "Have ready for the courier:",
		NotFound:     "Order not found",
		NotFoundText: "The address may be mistyped. The shop can send the link again.",
		Closed:       "This shop is closed",
		TooMany:      "Too many requests. Wait a minute and reload the page.",
		StartFailed:  "The payment could not be started. Try again in a minute, or contact the shop.",
		Test:         "Test order: nothing is sent, and no money moves.",
		Steps:        [4]string{"Placed", "Confirmed", "On its way", "Delivered"},
		Status: map[status.Order]string{
			status.OrderPending:        "Awaiting confirmation",
			status.OrderPendingPayment: "Awaiting payment",
			status.OrderConfirmed:      "Confirmed",
			status.OrderProcessing:     "Being prepared",
			status.OrderCompleted:      "Delivered",
			status.OrderCancelled:      "Cancelled",
			status.OrderExpired:        "Expired", status.OrderReturned: "Returned",
		},
		Next: map[status.Order]string{
			status.OrderPending:        "The shop confirms your order, perhaps by a call. Keep your phone on.",
			status.OrderPendingPayment: "Pay, and the shop prepares your order.",
			status.OrderConfirmed:      "The shop packs your order and hands it to the courier.",
			status.OrderProcessing:     "The shop packs your order and hands it to the courier.",
		},
		OnItsWay: "The courier brings it to your address. Keep your phone on.",
		Fulfillment: map[status.Fulfillment]string{
			status.InProgress:         "On its way",
			status.PartiallyDelivered: "Delivered in part",
			status.Delivered:          "Delivered",
			status.Returning:          "On its way back to the shop", status.Returned: "Returned",
		},
		Payment: map[status.Payment]string{
			status.PaymentUnpaid:            "Not paid yet.",
			status.PaymentPending:           "The payment is not confirmed yet.",
			status.PaymentPaid:              "Paid.",
			status.PaymentNeedsReview:       "The shop is checking the payment.",
			status.PaymentRefundDue:         "The shop will send the money back.",
			status.PaymentRefunded:          "The money was sent back.",
			status.PaymentPartiallyRefunded: "Part of the money was sent back.",
		},
		Result: map[order.ReturnResult]string{
			order.ReturnSuccess:   "Thank you. The payment was received.",
			order.ReturnFailed:    "The payment failed. You have not been charged.",
			order.ReturnCancelled: "The payment was cancelled. You have not been charged.",
			order.ReturnPending:   "The payment is not confirmed yet. This can take some minutes: reload the page.",
		},
		Shipment: map[status.Shipment]string{
			status.ShipmentCreated:            "booked",
			status.ShipmentPickupRequested:    "booked",
			status.ShipmentPicked:             "picked up",
			status.ShipmentAtHub:              "at a hub",
			status.ShipmentInTransit:          "in transit",
			status.ShipmentOutForDelivery:     "out for delivery",
			status.ShipmentDelivered:          "delivered",
			status.ShipmentPartiallyDelivered: "delivered in part",
			status.ShipmentOnHold:             "on hold",
			status.ShipmentDeliveryFailed:     "not delivered yet",
			status.ShipmentReturning:          "on its way back",
			status.ShipmentReturned:           "returned",
			status.ShipmentCancelled:          "cancelled",
			status.ShipmentExchanged:          "exchanged",
		},
		Months: [12]string{
			"January",
			"February",
			"March",
			"April",
			"May",
			"June",
			"July",
			"August",
			"September",
			"October",
			"November",
			"December",
		},
	},
	locale.Bangla: {
		Other:       "বাংলা",
		Order:       "অর্ডার",
		Items:       "পণ্য",
		Total:       "মোট",
		DeliveredTo: "ডেলিভারির ঠিকানা",
		Questions:   "কোনো প্রশ্ন?",
		Discount:    "ছাড়",
		Delivery:    "ডেলিভারি",
		Rounding:    "রাউন্ডিং",
		Returned:    "ফেরত",
		Pay:         "পরিশোধ করুন",
		CashDue:     "কুরিয়ারের জন্য প্রস্তুত রাখুন:", NotFound: "অর্ডারটি পাওয়া যায়নি",
		NotFoundText: "ঠিকানাটি ভুল হতে পারে। দোকানের কাছে লিংকটি আবার চান।",
		Closed:       "দোকানটি বন্ধ আছে",
		TooMany:      "অনেক বেশি অনুরোধ। এক মিনিট পরে পাতাটি আবার খুলুন।",
		StartFailed:  "পেমেন্ট শুরু করা যায়নি। এক মিনিট পরে আবার চেষ্টা করুন, অথবা দোকানের সঙ্গে যোগাযোগ করুন।",
		Test:         "পরীক্ষামূলক অর্ডার: কিছু পাঠানো হবে না, কোনো টাকাও যাবে না।",
		Steps:        [4]string{"অর্ডার হয়েছে", "নিশ্চিত", "পথে আছে", "পৌঁছেছে"},
		Status: map[status.Order]string{
			status.OrderPending:        "নিশ্চিত হওয়ার অপেক্ষায়",
			status.OrderPendingPayment: "পেমেন্টের অপেক্ষায়",
			status.OrderConfirmed:      "নিশ্চিত",
			status.OrderProcessing:     "প্রস্তুত হচ্ছে",
			status.OrderCompleted:      "পৌঁছে দেওয়া হয়েছে",
			status.OrderCancelled:      "বাতিল",
			status.OrderExpired:        "মেয়াদ শেষ", status.OrderReturned: "ফেরত",
		},
		Next: map[status.Order]string{
			status.OrderPending:        "দোকান অর্ডারটি নিশ্চিত করবে, কল করেও হতে পারে। ফোন খোলা রাখুন।",
			status.OrderPendingPayment: "পরিশোধ করলেই দোকান অর্ডারটি প্রস্তুত করবে।",
			status.OrderConfirmed:      "দোকান পণ্য প্যাকেট করে কুরিয়ারে দেবে।",
			status.OrderProcessing:     "দোকান পণ্য প্যাকেট করে কুরিয়ারে দেবে।",
		},
		OnItsWay: "কুরিয়ার আপনার ঠিকানায় পৌঁছে দেবে। ফোন খোলা রাখুন।",
		Fulfillment: map[status.Fulfillment]string{
			status.InProgress:         "পথে আছে",
			status.PartiallyDelivered: "আংশিক পৌঁছে দেওয়া হয়েছে",
			status.Delivered:          "পৌঁছে দেওয়া হয়েছে",
			status.Returning:          "দোকানে ফেরত যাচ্ছে", status.Returned: "ফেরত",
		},
		Payment: map[status.Payment]string{
			status.PaymentUnpaid:            "এখনো পরিশোধ হয়নি।",
			status.PaymentPending:           "পেমেন্টটি এখনো নিশ্চিত হয়নি।",
			status.PaymentPaid:              "পরিশোধ হয়েছে।",
			status.PaymentNeedsReview:       "দোকান পেমেন্টটি যাচাই করছে।",
			status.PaymentRefundDue:         "দোকান টাকা ফেরত পাঠাবে।",
			status.PaymentRefunded:          "টাকা ফেরত পাঠানো হয়েছে।",
			status.PaymentPartiallyRefunded: "টাকার একটি অংশ ফেরত পাঠানো হয়েছে।",
		},
		Result: map[order.ReturnResult]string{
			order.ReturnSuccess:   "ধন্যবাদ। পেমেন্ট পাওয়া গেছে।",
			order.ReturnFailed:    "পেমেন্ট সফল হয়নি। আপনার টাকা কাটা হয়নি।",
			order.ReturnCancelled: "পেমেন্ট বাতিল করা হয়েছে। আপনার টাকা কাটা হয়নি।",
			order.ReturnPending:   "পেমেন্টটি এখনো নিশ্চিত হয়নি। কয়েক মিনিট লাগতে পারে: পাতাটি আবার খুলুন।",
		},
		Shipment: map[status.Shipment]string{
			status.ShipmentCreated:            "বুক করা হয়েছে",
			status.ShipmentPickupRequested:    "বুক করা হয়েছে",
			status.ShipmentPicked:             "সংগ্রহ করা হয়েছে",
			status.ShipmentAtHub:              "হাবে আছে",
			status.ShipmentInTransit:          "পথে আছে",
			status.ShipmentOutForDelivery:     "ডেলিভারির জন্য বের হয়েছে",
			status.ShipmentDelivered:          "পৌঁছে দেওয়া হয়েছে",
			status.ShipmentPartiallyDelivered: "আংশিক পৌঁছে দেওয়া হয়েছে",
			status.ShipmentOnHold:             "আটকে আছে",
			status.ShipmentDeliveryFailed:     "এখনো পৌঁছানো যায়নি",
			status.ShipmentReturning:          "ফেরত যাচ্ছে",
			status.ShipmentReturned:           "ফেরত",
			status.ShipmentCancelled:          "বাতিল",
			status.ShipmentExchanged:          "বদলে দেওয়া হয়েছে",
		},
		Months: [12]string{
			"জানুয়ারি",
			"ফেব্রুয়ারি",
			"মার্চ",
			"এপ্রিল",
			"মে",
			"জুন",
			"জুলাই",
			"আগস্ট",
			"সেপ্টেম্বর",
			"অক্টোবর",
			"নভেম্বর",
			"ডিসেম্বর",
		},
	},
}

// Day returns the date of a time in the form for buyers.
func Day(language locale.Language, t time.Time, timeZone string) string {
	return DayOf(language, inZone(t, timeZone))
}

// DayOf returns the day of a time in its own time zone.
func DayOf(language locale.Language, local time.Time) string {
	return language.Digits(strconv.Itoa(local.Day())) + " " + wordsOf[language].Months[local.Month()-1] + " " +
		language.Digits(strconv.Itoa(local.Year()))
}
