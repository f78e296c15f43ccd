package shoptest

import (
	"fmt"
	"testing"

	"storefront/db/dbtest"
)

// EndlessSchema returns the schema with a table replaced by a view with endless rows. A test that
// reads it hangs unless the statement is interrupted.
func EndlessSchema(tb testing.TB, table string) string {
	tb.Helper()
	dbtest.NeedFiles(tb, "a view is no table of tenants")
	return Schema(tb) + fmt.Sprintf(`
		ALTER TABLE %[1]s RENAME TO finite_%[1]s;
		CREATE VIEW %[1]s AS
		SELECT f.*
		FROM (
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
			SELECT count(*)
			FROM n
		) endless
		CROSS JOIN finite_%[1]s f;`, table)
}
