// Package certificate obtains, stores and renews the TLS certificates of a server's own names and
// of its shops' domains, with certmagic. Several servers with the same database share them.
//
// It decides when to request a certificate, and for how long a handshake waits. It depends neither
// on shops, which the caller reduces to the [Ownership] of a name, nor on the HTTP server.
//
//   - manager.go: configuration, and the certificate of a handshake
//   - obtain.go, attempt.go: obtaining and renewing, and the pause after a failure
//   - shared.go: certmagic's storage in a [Store] of several servers, with copies on disk
//   - state.go, stored.go: the state of a name's certificate, and the certificates in a folder
//   - log.go: certmagic's log
package certificate
