// Package catalogue is what a shop sells: products with their variants and images, collections,
// search, stock and its movements, and import and export of Shopify's product CSV.
//
// It owns the types, rules, use cases and SQL of these. It must not know orders, accounts or any
// other part of the shop: what it needs of them (the currency, the check of the caller) comes as
// functions of its [Config]. Orders reserve and release stock through [ReserveVariant],
// [ReleaseVariant] and [Catalogue.RecordMovements], in their own transaction.
package catalogue
