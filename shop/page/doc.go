// Package page has one page of a list: the request for it, its checked form and the result.
package page
