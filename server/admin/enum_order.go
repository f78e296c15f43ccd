package admin

import (
	"reflect"

	"storefront/server/admin/print"
	"storefront/shop"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// orderEnums returns the enumerated types of orders and their buyers.
func orderEnums() map[reflect.Type]Enum {
	return map[reflect.Type]Enum{
		reflect.TypeFor[shop.WorkView](): {"WorkView", "A list of orders by what staff have to do with them, or by how they ended.", []EnumValue{
			{string(shop.ViewToConfirm), "Cash orders to be confirmed, by phone for example."},
			{string(shop.ViewToPack), "To be packed and booked with a courier."},
			{string(shop.ViewToHandOver), "Booked, and waiting for the courier's rider."},
			{string(shop.ViewOnTheWay), "With the courier."},
			{string(shop.ViewProblems), "Staff must check the order: see its flags."},
			{string(shop.ViewReturning), "Goods on their way back, and orders that were delivered in part until they are completed."},
			{string(shop.ViewToRefund), "Money is due for refund."},
			{string(shop.ViewUnpaid), "Online orders that await their payment."},
			{string(shop.ViewDone), "Completed."},
			{string(shop.ViewClosed), "Cancelled, expired or returned."},
			{string(shop.ViewAll), "All orders."},
		}},
		reflect.TypeFor[shop.OrderSort](): {"OrderSort", "What a list of orders is sorted by. Equal orders follow their numbers.", []EnumValue{
			{string(shop.SortPlaced), "When the order was placed."},
			{string(shop.SortUpdated), "When it last changed."},
			{string(shop.SortTotal), "Its total."},
			{string(shop.SortCallDue), "When the buyer is to be called again. Orders without a planned call are last."},
		}},
		reflect.TypeFor[plugin.PlaceKind](): {"PlaceKind", "A list of a courier. courier_a has the first four, courier_b the last.", []EnumValue{
			{string(plugin.PlaceStore), "Where the courier picks up shipments."},
			{string(plugin.PlaceCity), "A district."},
			{string(plugin.PlaceZone), "A part of a city."},
			{string(plugin.PlaceArea), "A part of a zone."},
			{string(plugin.PlaceStation), "A police station."},
		}},
		reflect.TypeFor[shop.CallFilter](): {"CallFilter", "Selects orders by the calls to their buyers.", []EnumValue{
			{string(shop.CallsNone), "Nobody has called."},
			{string(shop.CallsSome), "Somebody has called."},
			{string(shop.CallsDue), "The time of the next call has come."},
		}},
		reflect.TypeFor[shop.CallOutcome](): {"CallOutcome", "The result of a call to a buyer.", []EnumValue{
			{string(shop.CallConfirmed), "The buyer confirmed. Confirms the order."},
			{string(shop.CallNoAnswer), "Nobody answered."},
			{string(shop.CallLater), "The buyer wants to be called at another time."},
			{string(shop.CallWrongNumber), "The number is not the buyer's."},
			{string(shop.CallRefused), "The buyer does not want the order. Cancels it."},
		}},
		reflect.TypeFor[shop.NoteKind](): {"NoteKind", "The kind of a note.", []EnumValue{
			{string(shop.NoteText), "A text."},
			{string(shop.NoteCall), "A call to the buyer."},
		}},
		reflect.TypeFor[shop.RowFlag](): {"RowFlag", "What staff should notice about an order.", []EnumValue{
			{string(shop.RowDuplicate), "Another open order has the same phone number, placed within a day."},
			{string(shop.RowNote), "The buyer left a note."},
			{string(shop.RowAddressShort), "Couriers reject such short addresses."},
			{string(shop.RowReview), "A payment needs to be checked."},
			{string(shop.RowUnanswered), "A booking has no response: it is unknown whether the courier has the shipment."},
			{string(shop.RowStray), "A shipment of a closed order is under way."},
			{string(shop.RowShipment), "A shipment is on hold, or its delivery failed."},
			{string(shop.RowFlagged), "A flag is not resolved: see listFlags."},
		}},
		reflect.TypeFor[shop.RecordLevel](): {"RecordLevel", "Sums up a buyer's orders.", []EnumValue{
			{string(shop.RecordNew), "No order has ended yet."},
			{string(shop.RecordGood), "Orders were received."},
			{string(shop.RecordWatch), "An order was returned, or three are open."},
			{string(shop.RecordBad), "Two orders or more were returned, at least half of those that ended."},
		}},
		reflect.TypeFor[status.Source](): {"OrderSource", "Where a buyer has placed an order.", []EnumValue{
			{string(status.SourceStorefront), "The shop's site or app."},
			{string(status.SourcePhone), "By phone."},
			{string(status.SourceFacebook), "Facebook."},
			{string(status.SourceInstagram), "Instagram."},
			{string(status.SourceWhatsApp), "WhatsApp."},
			{string(status.SourceShop), "Over the counter."},
			{string(status.SourceOther), "Elsewhere."},
		}},
		reflect.TypeFor[shop.AdvanceMethod](): {"AdvanceMethod", "How the shop has received an advance.", []EnumValue{
			{string(shop.AdvanceBkash), "bKash."},
			{string(shop.AdvanceNagad), "Nagad."},
			{string(shop.AdvanceRocket), "Rocket."},
			{string(shop.AdvanceBank), "A bank transfer."},
			{string(shop.AdvanceCash), "Cash."},
			{string(shop.AdvanceOther), "Otherwise."},
		}},
		reflect.TypeFor[shop.OrderWarning](): {"OrderWarning", "What staff should know about a change that was made nevertheless.", []EnumValue{
			{string(shop.WarnOldAddress), "The courier has the old address of a shipment."},
			{string(shop.WarnLinkNotSent), "The link for paying was not sent: the order is a test, or there is nothing to pay online."},
			{string(shop.WarnBlocked), "The phone number is blocked."},
		}},
		reflect.TypeFor[shop.OrderAction](): {"OrderAction", "An action on many orders.", []EnumValue{
			{string(shop.OrdersConfirm), "Confirm cash orders."},
			{string(shop.OrdersCancel), "Cancel orders."},
			{string(shop.OrdersBook), "Book a shipment of each with a courier."},
			{string(shop.OrdersTrack), "Query the courier for the status of their shipments."},
			{string(shop.OrdersDeliver), "Record that the buyers received them."},
			{string(shop.OrdersReturn), "Record that their goods are back."},
			{string(shop.OrdersTag), "Add tags to them."},
			{string(shop.OrdersUntag), "Remove tags from them."},
			{string(shop.OrdersNote), "Add a note to each."},
			{string(shop.OrdersMarkPrinted), "Record that a document of them was printed."},
		}},
		reflect.TypeFor[shop.Block](): {"Block", "What a phone number is blocked from.", []EnumValue{
			{string(shop.BlockNone), "Nothing."},
			{string(shop.BlockCash), "Cash on delivery."},
			{string(shop.BlockAll), "Ordering."},
		}},
		reflect.TypeFor[print.Size](): {"PaperSize", "A size of paper. Each document has some of them.", []EnumValue{
			{string(print.A4), "210 × 297 mm."},
			{string(print.A5), "148 × 210 mm."},
			{string(print.A6), "105 × 148 mm."},
			{string(print.Mm100150), "100 × 150 mm, for labels."},
			{string(print.Roll80), "A roll of 80 mm."},
			{string(print.Roll58), "A roll of 58 mm."},
			{string(print.A4Of4), "Four labels to a sheet of A4."},
			{string(print.Receipt), "The roll of the setting print.receiptSize, for invoices."},
		}},
		reflect.TypeFor[shop.PrintKind](): {"PrintKind", "A document that is printed for orders.", []EnumValue{
			{string(shop.PrintLabel), "For a shipment: recipient, cash to collect, bar code."},
			{string(shop.PrintInvoice), "For the buyer."},
			{string(shop.PrintPacking), "What is in the package, without prices."},
			{string(shop.PrintPickList), "All items of the orders added up."},
			{string(shop.PrintHandover), "The shipments, for the courier's rider to sign."},
		}},
	}
}
