package postgres

import (
	"context"
	"fmt"
	"strings"
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
	// Scattered are the tables that a cluster of Citus does not place in one shard with the rest of a
	// shop, nil without Citus.
	Scattered []string
}

const readServer = `SELECT current_setting('server_version'), (SELECT count(*) FROM shops WHERE space = $1),
	current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
	(SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')),
	(SELECT sum(numbackends)::bigint FROM pg_stat_database), current_setting('max_connections')::bigint,
	(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

// Server returns the database server's state for doctor.
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
	info.Scattered, err = e.scattered(ctx)
	return info, err
}

const (
	findCitus = `SELECT (to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL)::int`
	// listGroups lists the tables with their Citus co-location group, 0 for tables that are not
	// distributed by a column.
	listGroups = `SELECT c.relname::text, coalesce(p.colocationid, 0)::bigint
		FROM pg_catalog.pg_class c
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		LEFT JOIN pg_catalog.pg_dist_partition p ON p.logicalrel::oid = c.oid AND p.partmethod = 'h'
		WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
		ORDER BY c.relname`
)

// scattered returns the tables of the shops' data that Citus does not place beside [distributed].
func (e *Engine) scattered(ctx context.Context) (tables []string, err error) {
	row, err := e.numbers(ctx, findCitus)
	if err != nil {
		return nil, err
	}
	if row == nil || row[0] == 0 {
		return nil, nil
	}
	groups := map[string]int64{}
	err = e.rows(ctx, listGroups, []db.Value{e.opts.Namespace}, func(row []db.Value) error {
		name, _ := row[0].(string)
		groups[strings.Clone(name)], _ = row[1].(int64)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the tables of Citus: %w", err)
	}
	if groups[distributed] == 0 {
		tables = append(tables, distributed)
	}
	for _, t := range e.schema.order {
		if groups[t.name] == 0 || groups[t.name] != groups[distributed] {
			tables = append(tables, t.name)
		}
	}
	return tables, nil
}
