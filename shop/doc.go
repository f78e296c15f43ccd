// Package shop is the facade of a shop: it creates the rooms of the domain and passes each what it
// needs of the others.
//
// It owns the settings of a shop and of its providers, and what combines several rooms: lists,
// exports and erasure of customers, the summary, search, actions on many products, notifications,
// consistency checks. It must not know HTTP, a vendor's protocol or the name of a file; transports
// decode a request, call one use case and encode its result.
//
// A use case is a method of [Shop], or of one of its rooms, that receives the caller (see
// [access.Caller]), validates its input, runs in one transaction and returns a domain value or a
// [*fault.Error]. Orders are those of [Shop.Orders], products, collections and stock those of
// [Shop.Catalogue], customers' accounts those of [Shop.Accounts].
//
// The files, by the prefix of their names:
//
//	shop, create, domain          the shop, creating its file, its domains
//	template                      what new shops receive from a template shop
//	settings                      the settings of a shop
//	storefront, order_page, site  what a storefront reads first, the page of an order, the site
//	menu                          the records that menus lead to
//	translate                     texts in the second language
//	plan                          the limits of the shop, which the operator sets
//	announcement                  messages of the operator to staff members
//	defaults                      what the shop inherits from the installation
//	suspension                    a shop closed by the merchant or the operator
//	history, adopt_copy           the past of a demo; adopting or cloning a copied file
//	plugin, connection            settings and modes of providers, whether they work
//	customer                      accounts and their orders as staff see, export and erase them
//	product                       actions on many products
//	sales                         reports of sales with the cash and the customers in them
//	message                       the settings that messages to buyers depend on
//	notification                  what staff members are notified of, in their words
//	advertiser                    what advertisers receive
//	outgoing                      what webhook endpoints receive
//	content_version               versions of public content
//	media                         who may see the files of uploaded images
//	observer, backlog             metrics callbacks, overdue work
//	background                    work that no caller waits for
//	activity, usage               how much a shop does and has, for the operator
//	failure, mask                 failed work for support, without secrets and buyers
//	summary, search               what staff see first, what a text finds
//	invariant, error              consistency checks, errors of storage
package shop
