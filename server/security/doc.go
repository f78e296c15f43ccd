// Package security records possible attacks: a log line and a count per event, and the client
// addresses with the most events. Refusals of one address are sampled, so that an attack fills
// neither the disk nor the log.
//
// It must not depend on requests or shops: the server defines the events.
package security
