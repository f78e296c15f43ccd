package admin

import (
	"reflect"

	"storefront/shop"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/inbox"
	"storefront/shop/message"
	"storefront/shop/plugin"
	"storefront/shop/sales"
	"storefront/tenants"
)

// shopEnums returns the enumerated types of products, sales and messages.
func shopEnums() map[reflect.Type]Enum {
	return map[reflect.Type]Enum{
		reflect.TypeFor[cash.Status](): {"CashStatus", "Where the cash of a shipment is.", []EnumValue{
			{string(cash.UnderWay), "Still to be collected."},
			{string(cash.Held), "Collected by the courier, and not paid out."},
			{string(cash.PaidOut), "Paid out to the shop."},
			{string(cash.Different), "In one of the others, with amounts that do not match."},
		}},
		reflect.TypeFor[shop.CustomerKind](): {"CustomerKind", "A kind of buyers.", []EnumValue{
			{string(shop.CustomerAccounts), "With an account."},
			{string(shop.CustomerGuests), "Ordered without an account."},
			{string(shop.CustomersAll), "Both; selects only."},
		}},
		reflect.TypeFor[shop.CustomerSort](): {"CustomerSort", "What a list of buyers is sorted by.", []EnumValue{
			{string(shop.SortLastOrder), "When the newest order was placed."},
			{string(shop.SortSpent), "The totals of their orders."},
			{string(shop.SortCustomerName), "The name."},
		}},
		reflect.TypeFor[sales.Grouping](): {"SalesGrouping", "What each row of a report on sales stands for.", []EnumValue{
			{string(sales.ByDay), "A day."},
			{string(sales.ByProduct), "A product."},
			{string(sales.ByCourier), "The courier of the newest shipment."},
			{string(sales.ByCity), "The city of the shipping address."},
			{string(sales.ByArea), "The area of the shipping address, with its city."},
			{string(sales.ByMethod), "The payment method."},
			{string(sales.ByCoupon), "The coupon."},
			{string(sales.BySource), "Where the buyer ordered."},
			{string(sales.ByBuyer), "New buyers, and returning ones."},
		}},
		reflect.TypeFor[sales.MetricUnit](): {"MetricUnit", "What a figure counts.", []EnumValue{
			{string(sales.UnitCount), "A number."},
			{string(sales.UnitMoney), "Minor units of the shop's currency."},
			{string(sales.UnitPermil), "Tenths of a per cent."},
			{string(sales.UnitDays), "Days."},
		}},
		reflect.TypeFor[sales.Comparison](): {"SalesComparison", "The earlier period that a report is compared with.", []EnumValue{
			{string(sales.ComparePrevious), "As many days, which end before the first."},
			{string(sales.CompareYear), "The same days of the year before."},
		}},
		reflect.TypeFor[CertificateState](): {"CertificateState", "The state of the certificate of a domain.", []EnumValue{
			{string(CertificateValid), "Buyers can visit the domain over HTTPS."},
			{string(CertificateWaiting), "None yet: the first visit over HTTPS requests it."},
			{string(CertificateFailed), "The authority could not reach this server by the name: check that DNS points to it."},
			{string(CertificateElsewhere), "This server has no certificates: a proxy in front of it has them."},
		}},
		reflect.TypeFor[shop.SetupStep](): {"SetupStep", "A step of setting up a shop.", []EnumValue{
			{string(shop.SetupLogo), "The setting brand.logoId or logoUrl."},
			{string(shop.SetupProduct), "A published product with an image."},
			{string(shop.SetupDeliveryCharge), "The setting deliveryCharges."},
			{string(shop.SetupCourier), "A courier with which shipments can be booked."},
			{string(shop.SetupPayment), "A gateway for payments online."},
			{string(shop.SetupSMS), "A gateway of text messages."},
			{string(shop.SetupSecondFactor), "A second factor of every owner."},
			{string(shop.SetupDomain), "The setting domains."},
			{string(shop.SetupTestOrder), "The first order, such as one of your own."},
		}},
		reflect.TypeFor[shop.FlagCode](): {"FlagCode", "What staff must check about an order.", []EnumValue{
			{string(shop.FlagCashDiffers), "The collected cash differs from the amount due."},
			{string(shop.FlagCashUndelivered), "Cash was collected with a shipment that was not delivered."},
			{string(shop.FlagCashUnreported), "An exchange without an amount."},
			{string(shop.FlagDueChanged), "The courier changed the amount to collect."},
			{string(shop.FlagPaidOutUndelivered), "A payout for a shipment that was not delivered."},
			{string(shop.FlagPayoutNegative), "The fee exceeds the cash of a payout."},
			{string(shop.FlagNeverHandedOver), "Delivered, and never picked up."},
			{string(shop.FlagContradicted), "Another end was reported after the end."},
			{string(shop.FlagCourierProblem), "The courier reports a loss, or an invalid amount."},
			{string(shop.FlagMissingAtCourier), "The courier does not know the shipment."},
			{string(shop.FlagDeliveredAfterCancel), "The courier delivered a cancelled or expired order."},
			{string(shop.FlagOldAddress), "The recipient or the address was changed after the shipment was booked."},
		}},
		reflect.TypeFor[shop.HealthCode](): {"HealthCode", "What needs attention in the shop.", []EnumValue{
			{string(shop.HealthNeedReview), "Staff must decide payments."},
			{string(shop.HealthRefundDue), "Payments are due for a refund."},
			{string(shop.HealthUnclearRefunds), "Gateways have not confirmed refunds."},
			{string(shop.HealthFailedStarts), "Payments of the last day could not be started."},
			{string(shop.HealthOverdue), "Status checks at gateways are over an hour late."},
			{string(shop.HealthFlags), "Flags of orders are not checked."},
			{string(shop.HealthUnanswered), "Bookings have no response."},
			{string(shop.HealthStray), "Closed orders have a shipment under way."},
			{string(shop.HealthUnmatched), "Webhooks match no record."},
			{string(shop.HealthFailed), "Webhooks could not be processed."},
			{string(shop.HealthStored), "Webhooks were stored over an hour ago and not applied."},
			{string(shop.HealthEndpoints), "Webhook endpoints were disabled."},
			{string(shop.HealthRefused), "Webhooks of the last day were refused."},
			{string(shop.HealthPlugins), "Plugins lack settings."},
			{string(shop.HealthKeys), "API keys have expired, or will within a week."},
			{string(shop.HealthMove), "The move of the shop to another place has begun and not ended."},
		}},
		reflect.TypeFor[shop.HealthState](): {"HealthState", "How bad a finding is.", []EnumValue{
			{string(shop.HealthWarning), "Somebody must act. The shop works."},
			{string(shop.HealthFailing), "Something of the shop does not work."},
		}},
		reflect.TypeFor[inbox.Verdict](): {"Verdict", "The result of processing an incoming webhook.", []EnumValue{
			{string(inbox.VerdictStored), "Saved, and not applied yet."},
			{string(inbox.VerdictApplied), "Applied, once."},
			{string(inbox.VerdictIgnored), "Parsed, and nothing needs to be done."},
			{string(inbox.VerdictUnmatched), "Names no record of the shop, so far."},
			{string(inbox.VerdictMalformed), "Authentic, and could not be parsed."},
			{string(inbox.VerdictFailed), "An error of the program occurred when it was applied."},
		}},
		reflect.TypeFor[shop.WebhookKind](): {"ProviderURLKind", "Who requests a provider's URL.", []EnumValue{
			{string(shop.KindWebhook), "The provider."},
			{string(shop.KindCallback), "The buyer's browser, on its way back from the gateway."},
		}},
		reflect.TypeFor[plugin.RefundState](): {"RefundStatus", "The status of a refund.", []EnumValue{
			{string(plugin.RefundRequested), "It may not have reached the gateway."},
			{string(plugin.RefundProcessing), "Accepted by the gateway."},
			{string(plugin.RefundUnclear), "Refused, perhaps because it was made before: look it up at the gateway."},
			{string(plugin.RefundDone), "The buyer has the money."},
			{string(plugin.RefundFailed), "Refused by the gateway."},
		}},
		reflect.TypeFor[shop.CouponKind](): {"CouponKind", "The kind of discount that a coupon grants.", []EnumValue{
			{string(shop.CouponPercentage), "A percentage of the items."},
			{string(shop.CouponFixed), "A fixed amount."},
			{string(shop.CouponFreeDelivery), "The delivery charge."},
		}},
		reflect.TypeFor[message.Event](): {"MessageEvent", "An order event that the buyer is notified about.", []EnumValue{
			{string(message.Placed), "The order was placed."},
			{string(message.Confirmed), "The shop confirmed it."},
			{string(message.Booked), "It was booked with a courier."},
			{string(message.Shipped), "The courier picked it up."},
			{string(message.OutForDelivery), "The courier brings it."},
			{string(message.Delivered), "It was delivered."},
			{string(message.Cancelled), "It was cancelled."},
			{string(message.Refunded), "Money was refunded, in full or in part."},
			{string(message.PaymentLink), "A link for paying it."},
		}},
		reflect.TypeFor[message.Channel](): {"MessageChannel", "How a message reaches the buyer.", []EnumValue{
			{string(message.SMS), "A text message."},
			{string(message.Email), "An e-mail."},
		}},
		reflect.TypeFor[message.Status](): {"MessageStatus", "The status of a message.", []EnumValue{
			{string(message.Queued), "It will be sent, perhaps again."},
			{string(message.Sending), "It is being sent."},
			{string(message.Sent), "The gateway or mail server accepted it."},
			{string(message.Unknown), "It may have been sent, and is not sent again."},
			{string(message.Failed), "It was refused, for the last time."},
			{string(message.Skipped), "It was not to be sent any more."},
		}},
		reflect.TypeFor[tenants.SMSAuthKind](): {"SMSAuthKind", "The scheme of the Authorization header.", []EnumValue{
			{"none", "No header."},
			{"basic", "User and password."},
			{"bearer", "A token."},
		}},
		reflect.TypeFor[tenants.SMSBodyKind](): {"SMSBodyKind", "The format of the body of a request to the gateway.", []EnumValue{
			{"none", "No body."},
			{"form", "A form."},
			{"json", "A JSON value."},
			{"raw", "XML or plain text."},
		}},
		reflect.TypeFor[tenants.SMSNumberFormat](): {"SMSNumberFormat", "The format of phone numbers for the gateway.", []EnumValue{
			{"e164", "+8801711000000."},
			{"international", "8801711000000."},
			{"national", "01711000000, of one calling code."},
		}},
		reflect.TypeFor[tenants.MailSecurity](): {"MailSecurity", "How the connection to the mail server is encrypted.", []EnumValue{
			{"starttls", "By STARTTLS, which the server must offer."},
			{"tls", "From the first byte."},
			{"none", "Not, for a mail server on the same machine or network."},
		}},
		reflect.TypeFor[catalogue.ProductStatus](): {"ProductStatus", "The status of a product. Buyers see active products only.", []EnumValue{
			{string(catalogue.ProductActive), "On sale, from its time of publication."},
			{string(catalogue.ProductDraft), "Being prepared."},
			{string(catalogue.ProductArchived), "No longer on sale."},
		}},
		reflect.TypeFor[catalogue.NoteKind](): {"ImportNoteKind", "What an import changed of a file, or could not import.", []EnumValue{
			{string(catalogue.NoteWeightRounded), "A weight was rounded to whole grams."},
			{string(catalogue.NoteStockRaised), "A quantity below zero was raised to zero, or a quantity was reduced to whole units."},
			{string(catalogue.NoteStatusReplaced), "A status or visibility without a counterpart was replaced."},
			{string(catalogue.NoteHandleChanged), "A handle was changed to letters, digits and hyphens."},
			{string(catalogue.NoteURLChanged), "A URL was completed or escaped."},
			{string(catalogue.NoteTimeAssumed), "A time had no offset."},
			{string(catalogue.NoteStockMissing), "Stock is counted, but the file has no quantity."},
			{string(catalogue.NoteStockShared), "Several variants share one quantity."},
			{string(catalogue.NoteRowSkipped), "A product or variant is not imported."},
			{string(catalogue.NoteProductReduced), "A gift card, a download or the like is imported as an ordinary product."},
			{string(catalogue.NotePriceMissing), "A product without a price is imported as a draft."},
			{string(catalogue.NoteSaleChanged), "A sale price had dates."},
			{string(catalogue.NoteVariantsAdded), "A variation of any value was split."},
			{string(catalogue.NoteAttributeLost), "An attribute without variations is not imported."},
			{string(catalogue.NoteTextLost), "A text was shortened, or has no counterpart."},
			{string(catalogue.NoteCategoryChanged), "A category is not imported under its own name."},
		}},
		reflect.TypeFor[catalogue.StockFilter](): {"StockFilter", "Selects products by the stock of their variants.", []EnumValue{
			{string(catalogue.FilterInStock), "A variant can be bought."},
			{string(catalogue.FilterLowStock), "Few are left of a variant."},
			{string(catalogue.FilterOutOfStock), "A variant is sold out."},
		}},
		reflect.TypeFor[catalogue.StockSelection](): {"StockSelection", "Selects variants by their stock.", []EnumValue{
			{string(catalogue.StockSelectLow), "Few are left."},
			{string(catalogue.StockSelectOut), "It is sold out."},
			{string(catalogue.StockSelectAll), "Every variant, its stock tracked or not."},
		}},
		reflect.TypeFor[shop.ProductAction](): {"ProductAction", "An action on many products.", []EnumValue{
			{string(shop.ProductsPublish), "Make them active, and publish those that are not published."},
			{string(shop.ProductsDraft), "Make them drafts."},
			{string(shop.ProductsArchive), "Archive them."},
			{string(shop.ProductsDelete), "Delete drafts and archived products."},
			{string(shop.ProductsAddTags), "Add tags."},
			{string(shop.ProductsRemoveTags), "Remove tags."},
			{string(shop.ProductsAddToCollection), "Add them to a collection."},
			{string(shop.ProductsRemoveFromCollection), "Remove them from a collection."},
			{string(shop.ProductsPrice), "Change the price of each variant."},
			{string(shop.ProductsImportImages), "Store the images that they show from other hosts as uploaded images."},
		}},
		reflect.TypeFor[catalogue.CompareAtRule](): {"CompareAtRule", "What a change of prices does with the prices before a sale.", []EnumValue{
			{string(catalogue.CompareAtKept), "They stay."},
			{string(catalogue.CompareAtSet), "The price before the change becomes that before a sale, if it falls; a higher one stays."},
			{string(catalogue.CompareAtClear), "They are removed."},
		}},
		reflect.TypeFor[catalogue.ProductListSort](): {"ProductListSort", "What a list of products is sorted by.", []EnumValue{
			{string(catalogue.ListByTitle), "The title, in the order of the alphabet."},
			{string(catalogue.ListByCreated), "When the product was created."},
			{string(catalogue.ListByUpdated), "When it last changed."},
			{string(catalogue.ListByStock), "Units in stock."},
			{string(catalogue.ListByPrice), "The lowest price of its variants."},
			{string(catalogue.ListBySold), "Units sold."},
		}},
		reflect.TypeFor[catalogue.MovementReason](): {"MovementReason", "Why the stock of a variant has changed.", []EnumValue{
			{string(catalogue.MovedByImport), "An import."},
			{string(catalogue.MovedByAdjustment), "Staff have counted or corrected it."},
			{string(catalogue.MovedByOrder), "An order was placed."},
			{string(catalogue.MovedByCancel), "An order was cancelled."},
			{string(catalogue.MovedByExpiry), "An order has expired."},
			{string(catalogue.MovedByReturn), "An order came back."},
			{string(catalogue.MovedByEdit), "Staff have changed the items of an order."},
			{string(catalogue.MovedByDamage), "Goods came back and are not fit for sale."},
		}},
		reflect.TypeFor[cash.EntrySource](): {"LedgerSource", "What reported an amount of the ledger.", []EnumValue{
			{string(cash.FromOrder), "The order, when its shipment was booked."},
			{string(cash.FromEvent), "An event of the courier."},
			{string(cash.FromStatement), "A statement of the courier."},
		}},
		reflect.TypeFor[shop.CashPolicy](): {"CashPolicy", "How the shop treats buyers with a bad record.", []EnumValue{
			{string(shop.CashAllow), "As all others."},
			{string(shop.CashRefuse), "No cash on delivery."},
		}},
		reflect.TypeFor[shop.LabelSize](): {"LabelSize", "The size of a shipment's label.", []EnumValue{
			{"a6", "A sheet of A6."},
			{"100x150", "A label of 100 by 150 mm."},
			{"80mm", "A roll of 80 mm."},
			{"58mm", "A roll of 58 mm."},
			{"a4x4", "Four to a sheet of A4."},
		}},
		reflect.TypeFor[shop.ReceiptSize](): {"ReceiptSize", "The width of a receipt.", []EnumValue{
			{"80mm", "A roll of 80 mm."},
			{"58mm", "A roll of 58 mm."},
		}},
	}
}
