// Package replica continuously copies the tenants' files to a folder or to S3-compatible storage,
// by Litestream, and restores them to a point in time.
//
// A [Replicator] is the [sqlite.Shipper] of a store. It schedules Litestream's work itself, without
// Litestream's timers per file, so that an idle tenant costs only memory.
//
// # Files on the target
//
//	owner                 the ID of the data folder's key, so that a second server is refused
//	media/UID/...         uploaded images, which this package does not write
//	UID/deleted           when the tenant was deleted
//	UID/GENERATION/...    Litestream's own files: changes, merged by the minute and hour, and a
//	                      snapshot per day
//
// A generation is the history of one file, from its first snapshot on. A file that is restored,
// created again or moved to another machine starts a new generation, so that two histories never
// mix and opening a tenant needs no request to the target. Generations are named by their start
// time.
//
// The package must not know shops. It is the only one that uses Litestream.
package replica
