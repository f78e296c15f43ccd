// Package site renders the pages where buyers browse, choose and order: HTML that works without
// scripts, with the use cases of a shop in the same process.
//
// It knows neither hosts nor caches: the server finds the shop of a request, stores pages and
// enforces limits. Pages that all buyers share depend on the shop, the path, the normalized query
// and nothing else.
package site
