// Package transport is what REST and GraphQL share: how an error becomes an HTTP status, headers,
// the facts that a client reads and a log level, and how a request body is read and decoded.
//
// It must not know a route, an operation or the form in which a transport writes a response.
package transport
