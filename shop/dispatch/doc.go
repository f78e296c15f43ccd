// Package dispatch runs the work of queues that stand in the database: one item of each queue at a
// time, many queues at once, within limits that queues share. It holds no item: what is due is
// found by the queue's own function, in a transaction.
package dispatch
