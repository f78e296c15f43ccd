// Package db stores the tenants' data. Each tenant is one SQLite file in a folder. The package owns
// the LRU of open files, the readers and the one writer of each file, group commit, schema steps,
// error codes, copies, and an export that does not depend on the engine.
//
// No other package depends on the engine, and no database handle leaves this one: callers pass a
// function to [Store.View] or [Store.Update], which receives a [Tx]. The package names no table of
// a shop and contains no rule of a shop and nothing of HTTP.
//
// # Rules for callers
//
//   - SQL stays in the subset that SQLite and PostgreSQL share, with ? placeholders. Identifiers
//     and times are generated in Go; times are stored as integer milliseconds (see [Tx.Exec]).
//   - A function passed to Update may run more than once: it must assign its results and have no
//     effect except through its Tx. Side effects go through an outbox table.
//   - A view that may read many rows is a [Store.ViewMany], which leaves a reader free for others.
//   - A View or Update inside another is refused with [ErrNested].
//   - Expected conflicts use ON CONFLICT or the number of affected rows: any failed statement ends
//     its transaction, even if the function ignores the error.
//
// # Files in the folder
//
//	tenants/UID.db          a tenant, with its UID.db-wal and UID.db-shm
//	tenants/.UID.db-*       state of a [Shipper] for that tenant; may be deleted
//	tenants/.new-…, .next-… files being built, or about to replace a tenant's file
//	trash/UID-TIME.db       dropped or replaced tenants; this package never deletes them
//	before-steps/           copies created before a schema step
//	serve.lock              held by the server, see [Store.LockServer]
//	tenants.lock            held briefly while files are created or moved
//	NAME.lock               held by a caller of [Store.LockNamed]
//
// Other code must not open a file in the tenants folder while this process has a store open on it:
// closing the file would release this process's SQLite locks. Use [Store.Backup] to copy one.
package db
