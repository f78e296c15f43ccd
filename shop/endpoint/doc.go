// Package endpoint sends a shop's events to other systems. A webhook endpoint is a URL that
// receives events of some types; a delivery is one event on its way to one endpoint.
//
// Deliveries are made from the outbox, of which the package is a consumer, so that each event that
// was committed is sent at least once: attempts repeat until the endpoint accepts the webhook or
// the attempts are used up. No transaction is open while a webhook is sent. The protocol of the
// requests is in the [Sender]; what an order consists of is in [Config]: the package knows neither.
package endpoint
