package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// examineDatabase checks the database, if one is configured.
func (t *examiner) examineDatabase(ctx context.Context, found *findings) {
	info, err := t.DatabaseState(ctx)
	if err != nil {
		found.addResult(CodeDatabase, "", err)
		return
	}
	if info == nil {
		return
	}
	found.ok(CodeDatabase, "PostgreSQL %s; shops: %d.", info.Version, info.Shops)
	t.examineMoves(ctx, found)
	for name, value := range map[string]string{
		"fsync": info.Fsync, "full_page_writes": info.FullPageWrites,
		"synchronous_commit": info.SynchronousCommit,
	} {
		if value == "off" {
			found.fail(CodeDatabaseUnsafe,
				"%s is off: acknowledged orders can be lost in a crash. Set %s = on in the server's "+
					"configuration.", name, name)
		}
	}
	if info.Scattered != nil {
		found.fail(CodeDatabaseSettings,
			"Citus does not keep these tables in the shard of their shop: %s. "+
				"Create the tables with `storefront engine ddl --citus` in an empty database, and move the "+
				"shops there.",
			strings.Join(info.Scattered, ", "))
	}
	if info.Standbys == 0 {
		found.warn(CodeDatabaseSettings,
			"No synchronous standby: an acknowledged order is on one machine. "+
				"Set synchronous_standby_names, or see docs/postgres.md.")
	}
	if info.Connections+info.Needed > info.MaxConnections {
		found.warn(CodeDatabaseSettings, "Connections in use: %d of %d; a server needs %d. "+
			"Raise max_connections, or lower --engine-connections.", info.Connections, info.MaxConnections, info.Needed)
	}
	if off := info.Clock.Sub(t.now()).Abs(); off > maxDatabaseClockOffset {
		found.warn(CodeDatabaseSettings,
			"The clock of the database server differs by %s: synchronize both clocks.",
			fmt.Sprint(off.Round(maxDatabaseClockOffset/10)))
	}
}

// maxDatabaseClockOffset is the offset from which doctor reports the database server's clock.
const maxDatabaseClockOffset = 2 * time.Second

// examineMoves adds the unfinished moves.
func (t *examiner) examineMoves(ctx context.Context, found *findings) {
	moves, err := t.UnfinishedMoves(ctx)
	if err != nil {
		found.addResult(CodeDatabaseMoves, "", err)
		return
	}
	for _, m := range moves {
		switch {
		case m.Lost != nil:
			found.addResult(CodeDatabaseMoves, "", m.Lost)
		case m.Here:
			found.warn(CodeDatabaseMoves,
				"The move of the shop %s has begun and not ended. Unless a command is moving it, "+
					"the next command or request that uses the shop completes or undoes this.", m.UID)
		default:
			found.warn(CodeDatabaseMoves,
				"The shop %s is hidden in the database: another data folder is moving it, or was "+
					"interrupted. A command that uses the shop there ends this. Only if that folder is lost, end "+
					"the move with "+
					"storefront tenant move %s --use postgres. The copy is as old as the move: compare it with "+
					"backups.", m.UID, m.UID)
		}
	}
}
