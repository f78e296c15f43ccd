// Package server is everything HTTP: the router, what happens around each request, the REST
// operations and their document, the reference page and the life of the listener.
//
// It owns the way from bytes to one use case of package shop and back. It must not know a rule of
// the shop, SQL, or how a tenant's shop is found: [Tenants] says which shop answers.
package server
