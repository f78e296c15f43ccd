// Package demo contains the demo shop of a first start: its catalogue, collections, settings,
// coupons and buyers as embedded files, their pictures, and the stories of a month's orders. Most
// pictures are drawn by this package: the demo must not need an internet connection, and few
// photographs have a free licence. Those that have are uploaded, so that they have renditions. The
// stories are written by the shop's own use cases, with a set clock and with couriers and gateways
// of this package.
//
// It must not read or write a shop's data by other means, or import transports.
package demo

import _ "embed"

// The files are strings, so that no caller can modify them for the next one.
var (
	//go:embed products.csv
	products string
	//go:embed collections.json
	collections string
	//go:embed settings.json
	settings string
	//go:embed coupons.json
	coupons string
	//go:embed buyers.json
	buyers string
)

// ProductsCSV returns the catalogue in Shopify's product CSV format: UTF-8, one header, the rows of
// a product together, prices in taka with two decimals. The column Collections is an addition:
// handles of [Collections], separated by ";". The last columns are texts in Bangla, with [bn] in
// their names. The photographs' URLs, which begin with /demo/photos/, are replaced by [Seed].
func ProductsCSV() []byte { return []byte(products) }

// Collections returns a JSON array of objects with handle, title, descriptionHtml, image and
// position (from 1, without gaps).
func Collections() []byte { return []byte(collections) }

// Settings returns a JSON object with the field names of the tenant's configuration in the API:
// name, currency, country, locale, logoUrl, deliveryCharges, supportContact, legalPolicies and
// socialLinks. Amounts are integers in minor units. It has no storefrontUrl, which differs between
// demo shops.
func Settings() []byte { return []byte(settings) }

// Coupons returns a JSON array of objects with code, kind (percentage, fixed or free_delivery),
// basisPoints, amount, maxDiscount, minSubtotal (minor units), startsAt, endsAt (RFC 3339),
// usageLimit, customerLimit, collections, products (handles), requiresLogin and active. A null
// means that the rule is not set.
func Coupons() []byte { return []byte(coupons) }
