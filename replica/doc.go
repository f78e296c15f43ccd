// Package replica copies the tenants' files to a folder or to S3-compatible storage while they are
// written to, by Litestream, and gets them back as they were at a time.
//
// A [Replicator] is the [db.Shipper] of a store. It drives Litestream's parts itself instead of
// letting each file have its own timers: a tenant that nobody writes to costs nothing but memory.
//
// # On the target
//
//	UID/GENERATION/...    Litestream's own files: what changed, merged by the minute and hour,
//	                      and a snapshot a day
//
// A generation is the history of one file, from its first snapshot on. A file that is restored,
// made anew, or on another machine gets a new one, so that two histories never mix and opening a
// tenant never asks the target anything. Generations are named by the time of their beginning.
//
// The package knows nothing of shops, and alone knows Litestream.
package replica
