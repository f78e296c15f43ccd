// Package security records what may be an attack: a log line and a count per event, and the client
// addresses with the most events. Refusals of one address are sampled, so that an attack fills
// neither the disk nor the log.
//
// It must not know requests or shops: the server decides what is an event.
package security
