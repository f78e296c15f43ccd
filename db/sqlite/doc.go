// Package sqlite is the engine that stores each tenant in one SQLite file of a folder. The
// package owns the LRU of open files, the readers and the writer of each file, schema steps,
// locks among processes, and copies. Only this package depends on SQLite.
//
// [Open] returns a [Store]: the [db.Store] of the folder, with the [Files], whose methods other
// engines do not have.
//
// # Files in the folder
//
//	tenants/UID.db          a tenant, with its UID.db-wal and UID.db-shm
//	tenants/.UID.db-*       state of a [Shipper] for that tenant; may be deleted
//	tenants/.new-…, .next-… files being built, or about to replace a tenant's file
//	trash/UID-TIME.db       dropped or replaced tenants; this package never deletes them
//	trash/UID.deleted       when a tenant that does not exist was dropped
//	before-steps/           copies created before a schema step
//	before-steps.lock       shared by the running upgrades
//	serve.lock              held by the server, see [Files.LockServer]
//	serve-schema-N.lock     held by a server whose schema is version N
//	tenants.lock            held briefly while files are created or moved
//	NAME.lock               held by a caller of [db.Store.LockNamed]
//
// Other code must not open a file in the tenants folder while this process has a store open on it:
// closing the file would release this process's SQLite locks. Use [Files.Backup] to copy one.
package sqlite
