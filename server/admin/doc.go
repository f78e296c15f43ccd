// Package admin declares the operations of the Admin API: for each its path, the use case of staff
// that it calls, and with it the permission, its input and its output.
//
// The server routes, identifies, limits and encodes requests as for the storefront API, and the
// domain has the rules. The package must not depend on the authentication or logging of requests.
package admin
