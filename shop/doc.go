// Package shop is the domain of a shop: its orders with their payments, shipments and cash, and the
// settings, accounts and providers that they depend on.
//
// It owns the types, the rules, the use cases and their SQL. It must not know HTTP, GraphQL, a
// vendor's protocol or the name of a file; transports decode a request, call one use case and
// encode its result.
//
// A use case is a method of [Shop] that receives the caller (see [access.Caller]), validates its
// input, runs in one transaction and returns a domain value or a [*fault.Error]. Products,
// collections and stock are those of [Shop.Catalogue], customers' accounts those of
// [Shop.Accounts].
//
// The files, by the prefix of their names:
//
//	shop, create, domain          the shop, creating its file, its domains
//	settings, storefront_page     the settings of a shop, the page of an order
//	seed, adopt_copy              filling a new shop; adopting or cloning a copied file
//	orders, order_settings        the orders of a shop, and the settings that they depend on
//	order_place, order_price      placing and quoting an order: input, lines, prices
//	order_find, order_query       finding and listing orders; tracking masks them
//	order_change, status          every change of an order, and the permitted transitions
//	timeline                      the types of timeline entries
//	order                         the order; cancelling, expiry, payment methods, operations of staff
//	pricing                       amounts of a cart: lines, discount, delivery, rounding
//	product                       actions on many products
//	coupon                        coupons: rules, uses, management
//	stock                         reserving and releasing stock for orders
//	idempotency                   idempotency keys of placing orders
//	payment, refund               payment attempts, their checks and refunds
//	shipment, courier, tracking   shipments, their booking and tracking
//	plugin                        settings and modes of providers
//	customer                      accounts and their orders as staff see, export and erase them
//	contact                       phone numbers, of guests too: notes, tags and blocks
//	sales                         reports of sales with the cash and the customers in them
//	message                       the settings that messages to buyers depend on
//	notification                  what staff members are notified of, in their words
//	outgoing                      what webhook endpoints receive
//	content_version               versions of public content
//	observer, backlog             metrics callbacks, overdue work
//	background                    work that no caller waits for
//	summary, search               what staff see first, what a text finds
//	invariant, error              consistency checks, errors of storage
package shop
