package e2e

import (
	"path/filepath"
	"regexp"
	"testing"

	"storefront/db/dbtest"
)

// Every statement that servers and commands of other tests have executed in a database is
// restricted to one shop. CI runs this test after all others, with a server that records them.
func TestEngine_RecordedStatements(t *testing.T) {
	var tables []string
	for _, match := range regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`).FindAllStringSubmatch(schemaSQL(t), -1) {
		tables = append(tables, match[1])
	}
	newShop(t, "acme", 5) // so that some are recorded
	if n := dbtest.CheckRecorded(t, filepath.Join(t.TempDir(), "data"), script(t), tables); n == 0 {
		t.Error("got no statement")
	} else {
		t.Logf("%d statements", n)
	}
}
