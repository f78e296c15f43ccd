// Package server is the HTTP server: the router, the middleware, the REST operations and their
// OpenAPI document, the webhooks of providers, the reference page, TLS and the listener's
// lifecycle.
//
// It owns the path from bytes to one use case of package shop and back. It must not depend on a
// rule of the shop or on SQL. [Tenants] finds a tenant's shop.
package server
