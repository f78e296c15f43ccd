// Package admin declares the operations of the Admin API: for each its path, the use case of staff
// that it calls, and with it the permission, its input and its output.
//
// It owns nothing else: the server routes, identifies, limits and encodes as for the storefront
// API, and the rules are in the domain. It must not know how requests are authenticated or logged.
package admin
