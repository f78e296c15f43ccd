package site

import "storefront/shop/locale"

// words are the texts of the pages in one language.
type words struct {
	LanguageName string // in that language

	// The frame.
	SkipToContent, Menu, Search, SearchProducts, Cart, Close string
	Suggestions                                              string // after their number
	Shop, Help, Delivery, Payment                            string
	SoldBy, CashOnDelivery                                   string
	// Advertising. {} is the list of advertisers; see [conversion.Settings.Wording].
	AdvertisingAsk, AdvertisingChoices, Accept, Decline string
	AdvertisingPolicy                                   string
	// Lists.
	AllProducts, New, OnSale, SeeAll, Collections, ShopNow     string
	Products, Product, Newest, BestSelling, PriceUp, PriceDown string
	Sort, Filter, InStock, Sale, Apply, Clear, Previous, Next  string
	Pages, NothingFound, NothingHere, Price, To, Brand, Type   string
	Tag                                                        string
	// A product.
	From, SoldOut, FewLeft, Backorder, Quantity                        string
	AddToCart, OrderNow, About, Related, SeeDelivery, FreeOver         string
	PayOnDelivery, PayOnDeliveryText, LookFirst                        string
	Questions, Testimonials, PlayVideo, CallUs, HaveQuestions          string
	OrderHere, NoMoneyNow, HowMany, Piece, Pieces, FullAddress, Choose string
	NotThis, ChooseOne, DeliveryFrom, DeliveryFree, Free               string
	AddFor                                                             string // an order bump
	ShareWhatsApp, ShareMessenger                                      string
	// An offer. {} is an amount or a date.
	Offer, Off, AtMost, OrdersFrom, Until, CodeAtCheckout string
	// The cart.
	CartEmpty, Remove, Update, Subtotal, CheckOut     string
	Withdrawn, SoldOutLine, CookiesNeeded             string
	PriceChanged, OnlyLeft, Goods, Discount, Rounding string
	QuantityDiscount                                  string
	DeliveryNext, KeepShopping                        string
	// The checkout.
	YourDetails, Phone, PhoneHint, Name, Address, AddressHint                string
	District, DistrictHint, CouponAsk, Coupon, NoteAsk, Note                 string
	SaveAddress, SaveDetails, PlaceOrder, YourOrder, TotalChanged, CallFirst string
	CheckTotal, FormChanged, ChooseFewer, AddDistrict, OrderByContact        string
	ToPay, ToPayOnDelivery, ChooseDelivery                                   string
	PayNow, Fix                                                              string
	// An order.
	ThankYou, OrderAgain, CancelOrder string
	CancelAsk                         string
	// Reviews. StarWords are the words of the ratings 1 to 5.
	Review, Reviews, ReviewsTitle, Verified, Buyer string
	WriteReview, Rating, StarWords, ReviewText     string
	ReviewHint, SendReview, SendAgain              string
	ReviewThanks, ReviewRefused                    string
	Photo, OtherPhoto, RemovePhoto, ReviewPhoto    string
	PhotoRefused, PhotoLater                       string
	// The account.
	Account, SignIn, SignInText, SendCode, Code, CodeHint string
	CodeAgain, CodeNeeded, NewHere, OtherPhone, Working   string
	Hello, Saved, Save, Orders, NoOrders, SignOut         string
	Passkeys, PasskeysText, PasskeySignIn, PasskeyAdd     string
	PasskeyName, PasskeyCode, PasskeyNext, PasskeyCancel  string
	PasskeyRename, PasskeyUsed, PasskeyUnused             string
	PasskeyRefused, PasskeyConflict, PasskeyUnproved      string
	PasskeyFailed, PasskeyGone                            string
	// Errors.
	NotFound, NotFoundText, TooMany, TooManyText, Busy string
	BusyText, Again, OtherSite, OtherSiteText          string
	Malformed, Home, TooLarge, TooLargeText            string
	// The end of a privacy policy.
	Cookies, CookiesText string
}

// wordsOf are the texts of the pages by language.
var wordsOf = map[locale.Language]*words{
	locale.English: {
		LanguageName:  "English",
		SkipToContent: "Skip to content", Menu: "Menu", Search: "Search", SearchProducts: "Search products",
		Suggestions: "suggestions",
		Cart:        "Cart", Close: "Close", Shop: "Shop", Help: "Help", Delivery: "Delivery",
		Payment: "Payment", SoldBy: "Sold by", CashOnDelivery: "Cash on delivery",
		AdvertisingAsk: "May {} see what you view and order, with your phone number in coded form, to measure our advertisements?",
		AdvertisingPolicy: "If you accept advertising, we report your order to {}, with your name, phone number, e-mail address, city and country in " +
			"coded form, your network address and your browser. Your answer is stored for 180 days, and with an order as proof; " +
			"you can change it at the bottom of each page.",
		AdvertisingChoices: "Advertising choices", Accept: "Accept", Decline: "Decline",

		AllProducts: "All products", New: "New", OnSale: "On sale", SeeAll: "See all", Collections: "Collections",
		ShopNow: "See all products", Products: "products", Product: "product", Newest: "Newest first",
		BestSelling: "Best selling", PriceUp: "Price, low to high", PriceDown: "Price, high to low", Sort: "Sort",
		Filter: "Filter", InStock: "In stock", Sale: "On sale", Apply: "Apply", Clear: "Clear", Previous: "Previous",
		Next: "Next", Pages: "Pages", NothingFound: "Nothing found for", NothingHere: "Nothing here yet",
		Brand: "Brand", Type: "Type", Tag: "Tag",
		Price: "Price", To: "To",

		From: "From", SoldOut: "Sold out", FewLeft: "Only a few left", Backorder: "On order, delivered later",
		Quantity: "Quantity", AddToCart: "Add to cart", OrderNow: "Order now", About: "About this product",
		OrderHere: "Order here", NoMoneyNow: "No payment now: pay when it arrives.", HowMany: "How many?", Piece: " piece", Pieces: " pieces",
		FullAddress: "House, road, area, district", Choose: "Choose", NotThis: "Not this one", ChooseOne: "Choose at least one product.",
		Questions: "Questions and answers", Testimonials: "What buyers say", PlayVideo: "Play the video", CallUs: "Call us", HaveQuestions: "Questions?",
		Related: "You may also like", SeeDelivery: "Delivery", FreeOver: "free from", PayOnDelivery: "Pay on delivery",
		PayOnDeliveryText: "In cash, when the courier brings it.", LookFirst: "Returns",
		DeliveryFrom: "Delivery from", DeliveryFree: "Delivery is free", Free: "Free",
		AddFor: "Add {product} for {price} instead of",
		Offer:  "Offer", Off: "{} off", AtMost: "at most {}", OrdersFrom: "for orders of {} and more", Until: "until {}",
		CodeAtCheckout: "Code for the checkout",
		ShareWhatsApp:  "Share on WhatsApp", ShareMessenger: "Share in Messenger",

		CartEmpty: "Your cart is empty", Remove: "Remove", Update: "Update", Subtotal: "Subtotal", CheckOut: "Check out",
		Withdrawn:     "is no longer sold. It is not in your order.",
		SoldOutLine:   "is sold out. It is not in your order.",
		CookiesNeeded: "This browser stores no cookies, which the cart needs. Allow them for this site, or contact the shop.",
		PriceChanged:  "has a new price:",
		OnlyLeft:      "Only this many are left:", Goods: "Goods", Discount: "Discount", Rounding: "Rounding",
		QuantityDiscount: "Quantity discount",
		DeliveryNext:     "Delivery is added at the next step.", KeepShopping: "Continue shopping",

		YourDetails: "Your details", Phone: "Mobile number", PhoneHint: "The courier calls this number.", Name: "Name",
		Address: "Address", AddressHint: "House, road, area or a landmark", District: "City or district",
		DistrictHint: "In English or Bangla", CouponAsk: "Coupon", Coupon: "Coupon", NoteAsk: "Note for the shop", Note: "Note",
		SaveAddress: "Save this address in my account",
		SaveDetails: "Save my details on this phone", PlaceOrder: "Place order", YourOrder: "Your order",
		TotalChanged: "The total is now", CheckTotal: "Check the total and place the order:",
		FormChanged: "Prices or choices have changed. Check them, and place the order again.",
		AddDistrict: "Write the district at the end of the address.", OrderByContact: "To order, contact the shop.",
		ChooseFewer: "There are not as many. Choose another one, or fewer.", CallFirst: "The shop may call you before it sends the order.",
		ToPay: "To pay", ToPayOnDelivery: "To pay on delivery",
		ChooseDelivery: "Choose a delivery option.", PayNow: "You pay on the next page",
		Fix: "Check the marked fields.",

		ThankYou: "Thank you", OrderAgain: "Order again",
		CancelOrder: "Cancel the order", CancelAsk: "Cancel this order?",
		Review: "review", Reviews: "reviews", ReviewsTitle: "Reviews", Verified: "Verified purchase", Buyer: "A buyer",
		WriteReview: "Your review", Rating: "Rating", StarWords: "1 star, very bad|2 stars, bad|3 stars, fair|4 stars, good|5 stars, very good",
		ReviewText: "What do others have to know? (optional)", ReviewHint: "Shown with your first name, once the shop has checked it.",
		SendReview: "Send the review", SendAgain: "Send again", ReviewThanks: "Thank you. The shop will check it.",
		ReviewRefused: "Choose 1 to 5 stars, and write at most 1,000 characters.",
		Photo:         "Photo of the product (optional)", OtherPhoto: "Another photo, in place of yours", RemovePhoto: "Remove my photo",
		ReviewPhoto:  "Photo of a buyer",
		PhotoRefused: "This photo could not be read. Choose another one: a JPEG, PNG or WebP picture.",
		PhotoLater:   "The photo could not be saved. Send the review without it, or try again later.",

		Account: "Account", SignIn: "Sign in", SignInText: "We send a code of four digits by SMS. You need no password.",
		SendCode: "Send the code", Code: "Code", CodeHint: "Sent by SMS to", CodeAgain: "Send another code",
		CodeNeeded: "The shop verifies numbers for orders like this. Enter the code that was sent to you.",
		NewHere:    "You are new here: the shop uses this name.", OtherPhone: "Use another number",
		Working: "One moment: your browser proves that it is not a robot. This needs scripts.",
		Hello:   "Hello", Saved: "Saved.", Save: "Save", Orders: "Your orders", NoOrders: "You have no orders yet.",
		SignOut: "Sign out",

		Passkeys: "Passkeys", PasskeysText: "Sign in with your fingerprint, face or screen lock, without waiting for a code.",
		PasskeySignIn: "Sign in with a passkey", PasskeyAdd: "Add a passkey", PasskeyName: "Name of the device",
		PasskeyCode: "We have sent a code to", PasskeyNext: "Continue", PasskeyCancel: "Cancel", PasskeyRename: "Rename",
		PasskeyUsed: "last used", PasskeyUnused: "not used yet",
		PasskeyRefused:  "This passkey does not sign in here. Use a code.",
		PasskeyConflict: "You have 10 passkeys, or one on this device already. Remove one first.",
		PasskeyUnproved: "Sign in with a code first.",
		PasskeyFailed:   "The device did not create or use a passkey. Turn on its screen lock, then try again.",
		PasskeyGone:     "This passkey was removed already. Reload the page.",

		NotFound: "This page has moved or never existed", NotFoundText: "Search, or start at a collection.",
		TooMany: "Many requests from your network", TooManyText: "Wait a moment, then try again. Your cart is saved.",
		Busy: "The page cannot be shown now", BusyText: "Try again in a moment. Your cart is saved.", Again: "Try again",
		OtherSite: "The form was sent from another website", OtherSiteText: "Nothing was changed. Continue on this site.",
		TooLarge: "The photo is too large", TooLargeText: "Go back, and choose a photo of at most 12 MB.",

		Cookies: "Cookies",
		CookiesText: "This site stores your cart for 30 days and a sign-in for 7 days. For 30 days it also stores which advertisement or website " +
			"led you here: the campaign and the ID of the click. They become part of your order, so that the shop sees which advertising works. " +
			"The ID is erased with your data.",
		Malformed: "The form could not be read",
		Home:      "Home",
	},
	locale.Bangla: {
		LanguageName:  "বাংলা",
		SkipToContent: "মূল অংশে যান", Menu: "মেনু", Search: "খুঁজুন", SearchProducts: "পণ্য খুঁজুন",
		Suggestions: "টি পরামর্শ",
		Cart:        "কার্ট", Close: "বন্ধ করুন", Shop: "দোকান", Help: "সাহায্য", Delivery: "ডেলিভারি",
		Payment: "পেমেন্ট", SoldBy: "বিক্রেতা", CashOnDelivery: "ক্যাশ অন ডেলিভারি",
		AdvertisingAsk: "বিজ্ঞাপনের ফল মাপতে {} কি জানতে পারে আপনি কী দেখেন ও অর্ডার করেন, ফোন নম্বরের সাংকেতিক রূপসহ?",
		AdvertisingPolicy: "আপনি বিজ্ঞাপনের অনুমতি দিলে আমরা আপনার অর্ডার {}-কে জানাই: নাম, ফোন নম্বর, ইমেইল, শহর ও দেশের সাংকেতিক রূপ, " +
			"নেটওয়ার্কের ঠিকানা ও ব্রাউজার। আপনার উত্তর ১৮০ দিন, আর প্রমাণ হিসেবে অর্ডারের সঙ্গে থাকে; প্রতিটি পাতার নিচে তা বদলাতে পারবেন।",
		AdvertisingChoices: "বিজ্ঞাপনের অনুমতি", Accept: "অনুমতি দিন", Decline: "অনুমতি দেব না",

		AllProducts: "সব পণ্য", New: "নতুন", OnSale: "ছাড়ে", SeeAll: "সব দেখুন", Collections: "সংগ্রহ",
		ShopNow: "সব পণ্য দেখুন", Products: "টি পণ্য", Product: "টি পণ্য", Newest: "নতুন আগে",
		BestSelling: "বেশি বিক্রীত", PriceUp: "দাম, কম থেকে বেশি", PriceDown: "দাম, বেশি থেকে কম", Sort: "সাজান",
		Filter: "বাছাই", InStock: "স্টকে আছে", Sale: "ছাড়ে", Apply: "দেখান", Clear: "মুছুন", Previous: "আগের",
		Next: "পরের", Pages: "পাতা", NothingFound: "কিছু পাওয়া যায়নি:", NothingHere: "এখানে এখনো কিছু নেই",
		Brand: "ব্র্যান্ড", Type: "ধরন", Tag: "ট্যাগ",
		Price: "দাম", To: "পর্যন্ত",

		From: "শুরু", SoldOut: "শেষ", FewLeft: "অল্প কয়েকটি আছে", Backorder: "অর্ডারে আসবে, পরে ডেলিভারি",
		Quantity: "পরিমাণ", AddToCart: "কার্টে রাখুন", OrderNow: "অর্ডার করুন", About: "পণ্যের বিবরণ",
		OrderHere: "অর্ডার করুন", NoMoneyNow: "এখন কোনো টাকা লাগবে না, হাতে পেয়ে দেবেন।", HowMany: "কয়টি নেবেন?", Piece: "টি", Pieces: "টি",
		FullAddress: "বাসা, রোড, এলাকা, জেলা", Choose: "বেছে নিন", NotThis: "এটা নেব না", ChooseOne: "অন্তত একটি পণ্য বাছুন।",
		Questions: "প্রশ্ন ও উত্তর", Testimonials: "ক্রেতারা যা বলেন", PlayVideo: "ভিডিও দেখুন", CallUs: "ফোন করুন", HaveQuestions: "প্রশ্ন আছে?",
		Related: "আরও দেখতে পারেন", SeeDelivery: "ডেলিভারি", FreeOver: "এর বেশি কিনলে ফ্রি:", PayOnDelivery: "হাতে পেয়ে টাকা",
		PayOnDeliveryText: "কুরিয়ার পৌঁছে দিলে নগদে দিন।", LookFirst: "ফেরত",
		DeliveryFrom: "ডেলিভারি শুরু", DeliveryFree: "ডেলিভারি ফ্রি", Free: "ফ্রি",
		AddFor: "{product} যোগ করুন {price}-এ, এমনিতে",
		Offer:  "অফার", Off: "{} ছাড়", AtMost: "সর্বোচ্চ {}", OrdersFrom: "{} বা বেশি কিনলে", Until: "{} পর্যন্ত",
		CodeAtCheckout: "চেকআউটে লিখুন",
		ShareWhatsApp:  "WhatsApp-এ পাঠান", ShareMessenger: "Messenger-এ পাঠান",

		CartEmpty: "আপনার কার্ট খালি", Remove: "বাদ দিন", Update: "হালনাগাদ", Subtotal: "পণ্যের দাম", CheckOut: "অর্ডার করুন",
		Withdrawn: "আর বিক্রি হয় না। এটি আপনার অর্ডারে নেই।", SoldOutLine: "শেষ হয়ে গেছে। এটি আপনার অর্ডারে নেই।",
		CookiesNeeded: "এই ব্রাউজার কুকি রাখছে না, কার্টের জন্য তা লাগে। এই সাইটের কুকি চালু করুন, অথবা দোকানে যোগাযোগ করুন।", PriceChanged: "এর নতুন দাম:",
		OnlyLeft: "মাত্র এতগুলো আছে:", Goods: "পণ্য", Discount: "ছাড়", Rounding: "রাউন্ডিং",
		QuantityDiscount: "একসাথে কেনার ছাড়",
		DeliveryNext:     "ডেলিভারি খরচ পরের ধাপে যোগ হবে।", KeepShopping: "কেনাকাটা চালিয়ে যান",

		YourDetails: "আপনার তথ্য", Phone: "মোবাইল নম্বর", PhoneHint: "কুরিয়ার এই নম্বরে কল করবে।", Name: "নাম",
		Address: "ঠিকানা", AddressHint: "বাসা, রোড, এলাকা বা পরিচিত স্থান", District: "শহর বা জেলা",
		DistrictHint: "বাংলা বা ইংরেজিতে", CouponAsk: "কুপন", Coupon: "কুপন", NoteAsk: "দোকানের জন্য নোট", Note: "নোট",
		SaveAddress: "এই ঠিকানা আমার অ্যাকাউন্টে রাখুন",
		SaveDetails: "এই ফোনে আমার তথ্য মনে রাখুন", PlaceOrder: "অর্ডার কনফার্ম করুন", YourOrder: "আপনার অর্ডার",
		TotalChanged: "এখন মোট", CheckTotal: "মোট দেখে অর্ডার করুন:",
		FormChanged: "দাম বা ধরন বদলেছে। দেখে আবার অর্ডার করুন।",
		AddDistrict: "ঠিকানার শেষে জেলার নাম লিখুন।", OrderByContact: "অর্ডার করতে দোকানে যোগাযোগ করুন।",
		ChooseFewer: "এতগুলো নেই। অন্যটি বাছুন, অথবা কম নিন।", CallFirst: "পাঠানোর আগে দোকান আপনাকে কল করতে পারে।",
		ToPay: "পরিশোধ করবেন", ToPayOnDelivery: "ডেলিভারির সময় দেবেন",
		ChooseDelivery: "ডেলিভারির ধরন বাছুন।", PayNow: "পরের পাতায় পেমেন্ট করবেন",
		Fix: "চিহ্নিত ঘরগুলো দেখুন।",

		ThankYou: "ধন্যবাদ", OrderAgain: "আবার অর্ডার করুন",
		CancelOrder: "অর্ডার বাতিল করুন", CancelAsk: "অর্ডারটি বাতিল করবেন?",
		Review: "টি রিভিউ", Reviews: "টি রিভিউ", ReviewsTitle: "রিভিউ", Verified: "কেনা নিশ্চিত", Buyer: "একজন ক্রেতা",
		WriteReview: "আপনার রিভিউ", Rating: "রেটিং", StarWords: "১ তারা, খুব খারাপ|২ তারা, খারাপ|৩ তারা, মোটামুটি|৪ তারা, ভালো|৫ তারা, খুব ভালো",
		ReviewText: "অন্যদের কী জানা দরকার? (না লিখলেও চলে)", ReviewHint: "দোকান দেখার পর আপনার নামের প্রথম অংশসহ দেখানো হবে।",
		SendReview: "রিভিউ পাঠান", SendAgain: "আবার পাঠান", ReviewThanks: "ধন্যবাদ, দোকান এটি দেখবে।",
		ReviewRefused: "১ থেকে ৫ তারা বেছে নিন, আর সর্বোচ্চ ১,০০০ অক্ষর লিখুন।",
		Photo:         "পণ্যের ছবি (না দিলেও চলে)", OtherPhoto: "আপনার ছবির বদলে অন্য ছবি", RemovePhoto: "আমার ছবি সরিয়ে দিন",
		ReviewPhoto:  "ক্রেতার তোলা ছবি",
		PhotoRefused: "এই ছবিটি পড়া গেল না। অন্য একটি ছবি দিন: JPEG, PNG বা WebP।",
		PhotoLater:   "ছবিটি রাখা গেল না। ছবি ছাড়া রিভিউ পাঠান, অথবা পরে আবার চেষ্টা করুন।",

		Account: "অ্যাকাউন্ট", SignIn: "সাইন ইন করুন", SignInText: "আমরা এসএমএসে চার সংখ্যার কোড পাঠাই। পাসওয়ার্ড লাগে না।",
		SendCode: "কোড পাঠান", Code: "কোড", CodeHint: "এসএমএসে পাঠানো হয়েছে:", CodeAgain: "আরেকটি কোড পাঠান",
		CodeNeeded: "এ ধরনের অর্ডারে দোকান নম্বর যাচাই করে। আপনাকে পাঠানো কোডটি লিখুন।",
		NewHere:    "আপনি এখানে নতুন: দোকান এই নামে ডাকবে।", OtherPhone: "অন্য নম্বর ব্যবহার করুন",
		Working: "একটু অপেক্ষা করুন: আপনার ব্রাউজার প্রমাণ করছে যে এটি রোবট নয়। এর জন্য স্ক্রিপ্ট লাগে।",
		Hello:   "স্বাগতম", Saved: "সংরক্ষণ করা হয়েছে।", Save: "সংরক্ষণ করুন", Orders: "আপনার অর্ডার", NoOrders: "এখনো কোনো অর্ডার নেই।",
		SignOut: "সাইন আউট",

		Passkeys: "পাসকি", PasskeysText: "কোডের অপেক্ষা ছাড়াই আঙুলের ছাপ, মুখ বা স্ক্রিন লক দিয়ে সাইন ইন করুন।",
		PasskeySignIn: "পাসকি দিয়ে সাইন ইন করুন", PasskeyAdd: "পাসকি যোগ করুন", PasskeyName: "ডিভাইসের নাম",
		PasskeyCode: "কোড পাঠানো হয়েছে:", PasskeyNext: "এগিয়ে যান", PasskeyCancel: "বাতিল", PasskeyRename: "নাম বদলান",
		PasskeyUsed: "শেষ ব্যবহার", PasskeyUnused: "এখনো ব্যবহার হয়নি",
		PasskeyRefused:  "এই পাসকি দিয়ে এখানে ঢোকা যায় না। কোড ব্যবহার করুন।",
		PasskeyConflict: "আপনার ১০টি পাসকি আছে, অথবা এই ডিভাইসে আগেই একটি আছে। আগে একটি বাদ দিন।",
		PasskeyUnproved: "আগে কোড দিয়ে সাইন ইন করুন।",
		PasskeyFailed:   "ডিভাইসটি পাসকি তৈরি বা ব্যবহার করেনি। স্ক্রিন লক চালু করে আবার চেষ্টা করুন।",
		PasskeyGone:     "পাসকিটি আগেই সরানো হয়েছে। পাতাটি আবার লোড করুন।",

		NotFound: "এই পাতা সরানো হয়েছে বা ছিল না", NotFoundText: "খুঁজুন, অথবা কোনো সংগ্রহ থেকে শুরু করুন।",
		TooMany: "আপনার নেটওয়ার্ক থেকে অনেক অনুরোধ", TooManyText: "একটু অপেক্ষা করে আবার চেষ্টা করুন। আপনার কার্ট আছে।",
		Busy: "পাতাটি এখন দেখানো যাচ্ছে না", BusyText: "একটু পরে আবার চেষ্টা করুন। আপনার কার্ট আছে।", Again: "আবার চেষ্টা করুন",
		OtherSite: "ফর্মটি অন্য ওয়েবসাইট থেকে পাঠানো হয়েছে", OtherSiteText: "কিছু বদলানো হয়নি। এই সাইট থেকে এগিয়ে যান।",
		TooLarge: "ছবিটি খুব বড়", TooLargeText: "ফিরে গিয়ে সর্বোচ্চ ১২ মেগাবাইটের একটি ছবি দিন।",

		Cookies: "কুকি",
		CookiesText: "এই সাইট আপনার কার্ট ৩০ দিন ও সাইন-ইন ৭ দিন রাখে। কোন বিজ্ঞাপন বা ওয়েবসাইট থেকে এসেছেন, তাও ৩০ দিন রাখে: " +
			"ক্যাম্পেইন ও ক্লিকের আইডি। অর্ডার করলে এগুলো অর্ডারের সঙ্গে থাকে, যাতে দোকান বোঝে কোন বিজ্ঞাপন কাজে আসে। আপনার তথ্য মুছলে আইডিও মুছে যায়।",
		Malformed: "ফর্মটি পড়া যায়নি",
		Home:      "প্রথম পাতা",
	},
}
