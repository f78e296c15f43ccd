// Package content owns what staff members write for a shop's site beside its products: redirects
// from the addresses of an earlier site.
package content
