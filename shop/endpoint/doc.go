// Package endpoint sends a shop's events to other systems. A webhook endpoint is a URL that
// receives events of some types; a delivery is one event on its way to one endpoint.
//
// The package is a consumer of the outbox, so that each committed event is sent at least once:
// attempts repeat until the endpoint accepts the webhook or the attempts are used up. No
// transaction is open while a webhook is sent. The [Sender] implements the protocol of the
// requests, and [Config] provides orders: the package depends on neither.
package endpoint
