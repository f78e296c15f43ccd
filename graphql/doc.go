// Package graphql is the GraphQL transport: it decodes a request, executes its document for one
// shop and writes the response.
//
// Each entity has a .graphql file beside the Go file that resolves it. A resolver decodes its
// arguments, calls one use case of package shop and converts the result; rules live in shop, so
// that REST and GraphQL cannot disagree. The package must not depend on SQL, and does not determine
// a request's shop or caller.
package graphql
