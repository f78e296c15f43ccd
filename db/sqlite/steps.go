package sqlite

import (
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"storefront/db"
)

// Steps returns the number of instructions that the statements of a tenant's idle readers have
// executed. Tests compare it for tables of different sizes, because it is the same on every
// machine. A statement that a reader has evicted no longer counts.
func (s *Files) Steps(id db.ID) (steps int64) {
	v, ok := s.live.Load(id)
	if !ok {
		return 0
	}
	pool := v.(*tenant).readers
	pool.mu.Lock()
	defer pool.mu.Unlock()
	tls := libc.NewTLS()
	defer tls.Close()
	for _, r := range pool.free {
		for stmt := sqlite3.Xsqlite3_next_stmt(tls, r.handle, 0); stmt != 0; {
			steps += int64(uint32(sqlite3.Xsqlite3_stmt_status(tls, stmt, sqlite3.SQLITE_STMTSTATUS_VM_STEP, 0)))
			stmt = sqlite3.Xsqlite3_next_stmt(tls, r.handle, stmt)
		}
	}
	return steps
}
