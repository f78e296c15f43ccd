// Package db stores the tenants' data in an [Engine], such as the files of package sqlite. The
// package owns the common part of all engines: transactions and their rules, group commit, versions
// of the data, values, errors, and an export that does not depend on the engine.
//
// Callers pass a function to [Store.View] or [Store.Update], which receives a [Tx]; no handle of a
// database leaves an engine. The package contains no table and no rule of a shop, and no code for
// HTTP, files or an engine's protocol.
//
// # Rules for callers
//
//   - SQL stays in the subset that SQLite and PostgreSQL share, with ? placeholders. Identifiers
//     and times are generated in Go; times are stored as integer milliseconds (see [Tx.Exec]).
//   - A change whose number of rows nobody needs is a [Tx.Do], and one that runs with several
//     lists of arguments a [Tx.ExecEach]: an engine on another machine sends them together.
//   - A function passed to Update may run more than once: it must assign its results and have no
//     effect except through its Tx. Side effects go through an outbox table.
//   - A view that may read many rows is a [Store.ViewMany], which leaves a reader free for others.
//   - A View or Update inside another is refused with [ErrNested].
//   - Expected conflicts use ON CONFLICT or the number of affected rows: any failed statement ends
//     its transaction, even if the function ignores the error.
//
// # Rules for engines
//
// An engine opens a tenant's data as a [Tenant]. It creates the tenant's [Versions] with
// [Store.NewVersions], raises them for commits of other processes, and passes the session that
// writes to [Store.NewCommitter], which queues updates, runs them in groups and raises the versions
// for this process's commits. Every engine must pass the tests of this package.
package db
