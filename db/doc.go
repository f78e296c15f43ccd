// Package db keeps the tenants' data: one SQLite file a tenant in a folder,
// an LRU of open files, readers and one writer for each of them, group commit,
// schema steps, error codes, copies and an engine-neutral export.
//
// It alone knows the engine. No handle leaves it: callers pass a function to
// [Store.View] or [Store.Update] and work with the [Tx] that it is given. It
// knows no table by name, no rule of a shop, and nothing of HTTP.
//
// # What callers owe
//
//   - SQL in the subset that SQLite and PostgreSQL share, with ? placeholders;
//     identifiers and times are made in Go (times are stored as integer
//     milliseconds, see [Tx.Exec]).
//   - A function given to Update may run again: it assigns its results and has
//     no effect but through its Tx. Effects outside leave by an outbox table.
//   - No View or Update inside another: it is refused with [ErrNested].
//   - Expected conflicts are written as ON CONFLICT or seen by the number of
//     affected rows: any failed statement ends its transaction, even when the
//     error is swallowed.
//
// # What is in the folder
//
//	tenants/UID.db         a tenant; UID.db-wal and UID.db-shm belong to it
//	tenants/.UID.db-*      what a [Shipper] knows about it; it may be deleted
//	tenants/.new-…, .next-… files being built, or about to replace a tenant's
//	trash/UID-TIME.db      dropped or replaced tenants, never deleted here
//	before-steps/          copies made before a schema step
//	serve.lock             held by the server, see [Store.LockServer]
//	tenants.lock           held for moments, when files appear or move
//	NAME.lock              held by whoever does NAME, see [Store.LockNamed]
//
// No other code may open a file below tenants while a store is open on it:
// closing it would drop SQLite's locks of this process. [Store.Backup] copies.
package db
