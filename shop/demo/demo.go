// Package demo holds the shop that a first start shows: its catalogue,
// collections, settings and coupons as embedded files, and the pictures they
// name, drawn here so that a demo needs no internet.
//
// It knows no domain type and no transport: it hands out bytes, and whoever
// seeds or serves them reads them like any merchant's own files.
package demo

import _ "embed"

// Strings, so that no caller can change what the next one gets.
var (
	//go:embed products.csv
	products string
	//go:embed collections.json
	collections string
	//go:embed settings.json
	settings string
	//go:embed coupons.json
	coupons string
)

// ProductsCSV returns the catalogue in Shopify's product format: UTF-8, one
// header, the rows of a product together, prices in taka with two decimals.
// The column Collections is ours: handles of [Collections], separated by ";".
func ProductsCSV() []byte { return []byte(products) }

// Collections returns a JSON array of objects with handle, title,
// descriptionHtml, image and position (from 1, without gaps).
func Collections() []byte { return []byte(collections) }

// Settings returns a JSON object named like the tenant's configuration in the
// API: name, currency, country, locale, logoUrl, deliveryCharges,
// supportContact, legalPolicies and socialLinks. Amounts are integers in minor
// units. It names no storefrontUrl: each seeded shop has its own, if any.
func Settings() []byte { return []byte(settings) }

// Coupons returns a JSON array of objects with code, kind (percentage, fixed or
// free_delivery), basisPoints, amount, maxDiscount, minSubtotal (minor units),
// startsAt, endsAt (RFC 3339), usageLimit, customerLimit, collections, products
// (handles), requiresLogin and active. A null means that the rule is not set.
func Coupons() []byte { return []byte(coupons) }
