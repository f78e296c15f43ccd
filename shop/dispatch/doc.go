// Package dispatch runs the work of queues in the database: one item of each queue at a time, many
// queues concurrently, within limits that queues share. It holds no items: each queue's own
// function finds due ones in a transaction.
package dispatch
