package postgres

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
)

// ServerInfo describes a database server.
type ServerInfo struct {
	Version                                  string
	Shops                                    int64
	Fsync, FullPageWrites, SynchronousCommit string
	Standbys                                 int64 // synchronous ones that are connected
	Connections, MaxConnections              int
	Clock                                    time.Time
}

const readServer = `SELECT current_setting('server_version'), (SELECT count(*) FROM shops WHERE space = $1),
	current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
	(SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')),
	(SELECT sum(numbackends)::bigint FROM pg_stat_database), current_setting('max_connections')::bigint,
	(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

// Server returns what doctor reports about the database server.
func (e *Engine) Server(ctx context.Context) (*ServerInfo, error) {
	info := &ServerInfo{}
	err := e.rows(ctx, readServer, []db.Value{e.opts.Space}, func(row []db.Value) error {
		texts := []*string{&info.Version, nil, &info.Fsync, &info.FullPageWrites, &info.SynchronousCommit}
		numbers := make([]int64, len(row))
		for i, v := range row {
			numbers[i], _ = v.(int64)
			if i < len(texts) && texts[i] != nil {
				*texts[i], _ = v.(string)
			}
		}
		info.Shops, info.Standbys = numbers[1], numbers[5]
		info.Connections, info.MaxConnections = int(numbers[6]), int(numbers[7])
		info.Clock = db.FromMillis(numbers[8])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the server's settings: %w", err)
	}
	return info, nil
}
