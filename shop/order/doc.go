// Package order is a shop's orders with their coupons, payments, refunds and shipments: one
// aggregate, which changes in one transaction and by one table of states.
//
// It owns their types, rules and SQL, what the shop knows about a buyer's phone number, and the
// sums that follow from orders. It must not know the settings of a shop beyond [Settings], the
// storage of providers' settings, or the lists and reports that combine it with other rooms: shop
// passes what it needs in [Config].
//
// A change of an order is begun, applied and saved: saving checks the transitions, writes the
// timeline, and brings up to date what [Followers] list. A new order has nothing to follow: the use
// case that places it writes its first rows. On the way it is an [Input], a request (checked), a
// command (with its caller and key), a priced order, a placement (with its number) and a row.
//
// The files, by the prefix of their names:
//
//	orders, settings              what orders depend on
//	order, row, query             an order as responses show it, as it is stored, and its SQL
//	place, input, line, price     placing and quoting an order: input, lines, prices
//	replace, limit, idempotency   an order that replaces another; limits; repeated requests
//	pricing, stock                amounts of a cart; reserving and releasing stock
//	coupon, offer                 coupons: rules, uses, management, advertising
//	discount                      automatic discounts: of orders, of carts, as buyers see them
//	find, reorder, page, token    orders of buyers, placed again, the page of an order, order tokens
//	translate                     titles of items in another language
//	list, search, print           lists, search and prints for staff
//	csv, export                   exports of orders, as files and as records
//	change, status, action        every change of an order, its derived statuses, permitted actions
//	cancel, expire, reopen        ends of orders, and orders that continue after them
//	edit, merge, return, advance  changes of contents, merged orders, returned units, advances
//	amount, credit, earned        sums of an order, what reduces it after the sale, what it brings
//	staff, deliver, parse, bulk   what staff place, confirm and deliver; actions on many orders
//	work, claim, call, note, tag  the work of staff on orders
//	flag, audit, event, timeline  contradictions, the audit log, events, the timeline
//	undo                          changes that can be undone for some seconds
//	message, number, reply        messages to buyers, order numbers, replies in a chat
//	review                        the orders that buyers review
//	incomplete                    what buyers typed without ordering
//	payment, refund               payment attempts, their checks and refunds
//	wallet                        payments to wallets that buyers have reported
//	webhook                       webhooks of providers, processed again
//	shipment, courier, cash       shipments, their booking and tracking; their cash
//	contact, buyer, erase         phone numbers and their buyers, sums, erasure
package order
