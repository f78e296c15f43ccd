package server

import (
	"strconv"
	"time"

	"storefront/shop"
	"storefront/shop/account"
)

// pageWords are the texts of the page of an order in one language.
type pageWords struct {
	Other                                            string // the other language, in itself
	Order, Items, Total, DeliveredTo, Questions      string
	Discount, Delivery, Rounding, Pay                string
	CashDue, NotFound, NotFoundText, Closed, TooMany string
	StartFailed                                      string
	Steps                                            [4]string
	Status                                           map[shop.OrderStatus]string
	Fulfillment                                      map[shop.FulfillmentStatus]string
	Payment                                          map[shop.PaymentStatus]string
	Result                                           map[shop.ReturnResult]string
	Shipment                                         map[shop.ShipmentStatus]string
	Months                                           [12]string
}

// wordsOfPage are the texts of the page of an order by language.
var wordsOfPage = map[account.Language]*pageWords{
	account.English: {
		Other: "English", Order: "Order", Items: "Items", Total: "Total", DeliveredTo: "Delivered to", Questions: "Questions?",
		Discount: "Discount", Delivery: "Delivery", Rounding: "Rounding", Pay: "Pay",
		CashDue: "Have ready for the courier:", NotFound: "Order not found", NotFoundText: "The address may be mistyped. The shop can send the link again.",
		Closed: "This shop is closed", TooMany: "Too many requests. Wait a minute and reload the page.",
		StartFailed: "The payment could not be started. Try again in a minute, or contact the shop.",
		Steps:       [4]string{"Placed", "Confirmed", "On its way", "Delivered"},
		Status: map[shop.OrderStatus]string{
			shop.OrderPending: "Awaiting confirmation", shop.OrderPendingPayment: "Awaiting payment", shop.OrderConfirmed: "Confirmed",
			shop.OrderProcessing: "Being prepared", shop.OrderCompleted: "Delivered", shop.OrderCancelled: "Cancelled",
			shop.OrderExpired: "Expired", shop.OrderReturned: "Returned",
		},
		Fulfillment: map[shop.FulfillmentStatus]string{
			shop.InProgress: "On its way", shop.PartiallyDelivered: "Delivered in part", shop.Delivered: "Delivered",
			shop.Returning: "On its way back to the shop", shop.Returned: "Returned",
		},
		Payment: map[shop.PaymentStatus]string{
			shop.PaymentUnpaid: "Not paid yet.", shop.PaymentPending: "The payment is not confirmed yet.", shop.PaymentPaid: "Paid.",
			shop.PaymentNeedsReview: "The shop is checking the payment.", shop.PaymentRefundDue: "The shop will send the money back.",
			shop.PaymentRefunded: "The money was sent back.", shop.PaymentPartiallyRefunded: "Part of the money was sent back.",
		},
		Result: map[shop.ReturnResult]string{
			shop.ReturnSuccess: "Thank you. The payment was received.", shop.ReturnFailed: "The payment failed. You have not been charged.",
			shop.ReturnCancelled: "The payment was cancelled. You have not been charged.",
			shop.ReturnPending:   "The payment is not confirmed yet. This can take some minutes: reload the page.",
		},
		Shipment: map[shop.ShipmentStatus]string{
			shop.ShipmentCreated: "booked", shop.ShipmentPickupRequested: "booked", shop.ShipmentPicked: "picked up", shop.ShipmentAtHub: "at a hub",
			shop.ShipmentInTransit: "in transit", shop.ShipmentOutForDelivery: "out for delivery", shop.ShipmentDelivered: "delivered",
			shop.ShipmentPartiallyDelivered: "delivered in part", shop.ShipmentOnHold: "on hold", shop.ShipmentDeliveryFailed: "not delivered yet",
			shop.ShipmentReturning: "on its way back", shop.ShipmentReturned: "returned", shop.ShipmentCancelled: "cancelled",
			shop.ShipmentExchanged: "exchanged",
		},
		Months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	},
	account.Bangla: {
		Other: "বাংলা", Order: "অর্ডার", Items: "পণ্য", Total: "মোট", DeliveredTo: "ডেলিভারির ঠিকানা", Questions: "কোনো প্রশ্ন?",
		Discount: "ছাড়", Delivery: "ডেলিভারি", Rounding: "রাউন্ডিং", Pay: "পরিশোধ করুন",
		CashDue: "কুরিয়ারের জন্য প্রস্তুত রাখুন:", NotFound: "অর্ডারটি পাওয়া যায়নি",
		NotFoundText: "ঠিকানাটি ভুল হতে পারে। দোকানের কাছে লিংকটি আবার চান।",
		Closed:       "দোকানটি বন্ধ আছে", TooMany: "অনেক বেশি অনুরোধ। এক মিনিট পরে পাতাটি আবার খুলুন।",
		StartFailed: "পেমেন্ট শুরু করা যায়নি। এক মিনিট পরে আবার চেষ্টা করুন, অথবা দোকানের সঙ্গে যোগাযোগ করুন।",
		Steps:       [4]string{"অর্ডার হয়েছে", "নিশ্চিত", "পথে আছে", "পৌঁছেছে"},
		Status: map[shop.OrderStatus]string{
			shop.OrderPending: "নিশ্চিত হওয়ার অপেক্ষায়", shop.OrderPendingPayment: "পেমেন্টের অপেক্ষায়", shop.OrderConfirmed: "নিশ্চিত",
			shop.OrderProcessing: "প্রস্তুত হচ্ছে", shop.OrderCompleted: "পৌঁছে দেওয়া হয়েছে", shop.OrderCancelled: "বাতিল",
			shop.OrderExpired: "মেয়াদ শেষ", shop.OrderReturned: "ফেরত",
		},
		Fulfillment: map[shop.FulfillmentStatus]string{
			shop.InProgress: "পথে আছে", shop.PartiallyDelivered: "আংশিক পৌঁছে দেওয়া হয়েছে", shop.Delivered: "পৌঁছে দেওয়া হয়েছে",
			shop.Returning: "দোকানে ফেরত যাচ্ছে", shop.Returned: "ফেরত",
		},
		Payment: map[shop.PaymentStatus]string{
			shop.PaymentUnpaid: "এখনো পরিশোধ হয়নি।", shop.PaymentPending: "পেমেন্টটি এখনো নিশ্চিত হয়নি।", shop.PaymentPaid: "পরিশোধ হয়েছে।",
			shop.PaymentNeedsReview: "দোকান পেমেন্টটি যাচাই করছে।", shop.PaymentRefundDue: "দোকান টাকা ফেরত পাঠাবে।",
			shop.PaymentRefunded: "টাকা ফেরত পাঠানো হয়েছে।", shop.PaymentPartiallyRefunded: "টাকার একটি অংশ ফেরত পাঠানো হয়েছে।",
		},
		Result: map[shop.ReturnResult]string{
			shop.ReturnSuccess: "ধন্যবাদ। পেমেন্ট পাওয়া গেছে।", shop.ReturnFailed: "পেমেন্ট সফল হয়নি। আপনার টাকা কাটা হয়নি।",
			shop.ReturnCancelled: "পেমেন্ট বাতিল করা হয়েছে। আপনার টাকা কাটা হয়নি।",
			shop.ReturnPending:   "পেমেন্টটি এখনো নিশ্চিত হয়নি। কয়েক মিনিট লাগতে পারে: পাতাটি আবার খুলুন।",
		},
		Shipment: map[shop.ShipmentStatus]string{
			shop.ShipmentCreated: "বুক করা হয়েছে", shop.ShipmentPickupRequested: "বুক করা হয়েছে", shop.ShipmentPicked: "সংগ্রহ করা হয়েছে",
			shop.ShipmentAtHub: "হাবে আছে", shop.ShipmentInTransit: "পথে আছে", shop.ShipmentOutForDelivery: "ডেলিভারির জন্য বের হয়েছে",
			shop.ShipmentDelivered: "পৌঁছে দেওয়া হয়েছে", shop.ShipmentPartiallyDelivered: "আংশিক পৌঁছে দেওয়া হয়েছে", shop.ShipmentOnHold: "আটকে আছে",
			shop.ShipmentDeliveryFailed: "এখনো পৌঁছানো যায়নি", shop.ShipmentReturning: "ফেরত যাচ্ছে", shop.ShipmentReturned: "ফেরত",
			shop.ShipmentCancelled: "বাতিল", shop.ShipmentExchanged: "বদলে দেওয়া হয়েছে",
		},
		Months: [12]string{"জানুয়ারি", "ফেব্রুয়ারি", "মার্চ", "এপ্রিল", "মে", "জুন", "জুলাই", "আগস্ট", "সেপ্টেম্বর", "অক্টোবর", "নভেম্বর", "ডিসেম্বর"},
	},
}

// day returns a date as buyers write it.
func (w *pageWords) day(t time.Time) string {
	return strconv.Itoa(t.Day()) + " " + w.Months[t.Month()-1] + " " + strconv.Itoa(t.Year())
}
