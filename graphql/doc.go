// Package graphql is the GraphQL transport: it decodes a request, executes its document for one
// shop and writes the response.
//
// Each entity has a .graphql file beside the Go file that resolves it. A resolver decodes its
// arguments, calls one use case of package shop and converts the result; rules live in shop, so
// that REST and GraphQL cannot disagree. The package must not know SQL, how a request's shop is
// found or how its caller is read from the headers.
package graphql
