// Package postgres is the engine that stores the tenants of an installation in one PostgreSQL
// database. All tenants share the tables, and all keys begin with the tenant's number. The package
// owns the connections, the statements' translation, the directory of tenants, and the schema in
// the database. Only this package depends on a driver of PostgreSQL.
//
// # Tables
//
//	meta          the version of the schema
//	shops         the directory: the number of each tenant, by space and UID
//	engine_state  of each tenant the version of its data, and whether it may be written here
//	…             those of schema.sql, each with the column shop first
//
// # Statements
//
// Callers write statements for one tenant. Each is parsed once and translated so that every table
// in it is restricted to the tenant, see [scope]. A statement that cannot be translated completely
// is refused with [db.ErrStatement]: it must never run unrestricted.
//
// # Writing
//
// A transaction begins with an UPDATE of the tenant's row in engine_state, which waits for other
// processes, increments the version, and returns whether the tenant may be written here. Statements
// behind it see all that was committed before, at READ COMMITTED.
package postgres
