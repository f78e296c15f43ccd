// Package transport is the code that REST and GraphQL share: it maps errors to HTTP statuses,
// headers, facts for clients and log levels, and reads and decodes request bodies.
//
// It must not depend on a route, an operation or the form of a transport's responses.
package transport
