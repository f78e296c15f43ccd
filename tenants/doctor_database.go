package tenants

import (
	"context"
	"fmt"
	"strings"
	"time"

	"storefront/db/postgres"
)

// examineDatabase checks the database, if one is configured.
func (t *Tenants) examineDatabase(ctx context.Context, found *findings) {
	if t.engines == nil {
		return
	}
	p, err := t.engines.database(ctx)
	var info *postgres.ServerInfo
	if err == nil {
		info, err = p.Server(ctx)
	}
	if err != nil {
		found.addResult(CodeDatabase, "", err)
		return
	}
	found.add(CodeDatabase, StateOK, "PostgreSQL %s; shops: %d.", info.Version, info.Shops)
	t.examineMoves(ctx, found, p)
	for name, value := range map[string]string{
		"fsync": info.Fsync, "full_page_writes": info.FullPageWrites, "synchronous_commit": info.SynchronousCommit,
	} {
		if value == "off" {
			found.add(CodeDatabaseUnsafe, StateFailing,
				"%s is off: acknowledged orders can be lost in a crash. Set %s = on in the server's configuration.", name, name)
		}
	}
	if info.Scattered != nil {
		found.add(CodeDatabaseSettings, StateFailing, "Citus does not keep these tables in the shard of their shop: %s. "+
			"Create the tables with `storefront engine ddl --citus` in an empty database, and move the shops there.",
			strings.Join(info.Scattered, ", "))
	}
	if info.Standbys == 0 {
		found.add(CodeDatabaseSettings, StateWarning, "No synchronous standby: an acknowledged order is on one machine. "+
			"Set synchronous_standby_names, or see docs/postgres.md.")
	}
	if limit := t.engines.connections; info.Connections+limit > info.MaxConnections {
		found.add(CodeDatabaseSettings, StateWarning, "%d of %d connections are in use, and a server needs %d: "+
			"raise max_connections, or lower --engine-connections.", info.Connections, info.MaxConnections, limit)
	}
	if off := info.Clock.Sub(t.now()).Abs(); off > maxDatabaseClockOffset {
		found.add(CodeDatabaseSettings, StateWarning, "The clock of the database server differs by %s: synchronize both clocks.",
			fmt.Sprint(off.Round(maxDatabaseClockOffset/10)))
	}
}

// maxDatabaseClockOffset is the offset from which doctor reports the database server's clock.
const maxDatabaseClockOffset = 2 * time.Second
