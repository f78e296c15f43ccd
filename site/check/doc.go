// Package check requests the pages of a shop as a search engine would, and reports what is wrong
// with them.
//
// It knows neither hosts nor servers: it is given a handler, and compares its pages with the
// catalogue of the shop.
package check
