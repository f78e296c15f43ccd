package postgres

import (
	"strings"

	"storefront/db"
)

// For a table without an ANALYZE, the server assumes that a tenant has one row in it. Plans made
// then read all rows of the tenant for each row, and connections continue to use them: filling a
// new database took a minute instead of a second. Autovacuum does not count the rows of a running
// transaction. Such a transaction therefore analyzes the tables that are new to the statistics or
// have doubled.

// firstAnalyze is the number of changed rows after which this process checks the tables. Each later
// check needs twice as many.
const firstAnalyze = 100

// grownTables lists the tables with rows that are missing in the statistics, or that have at least
// doubled since. A table does not become longer while its rows fill the places of deleted ones.
const grownTables = `SELECT c.relname FROM pg_catalog.pg_class c
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
		AND (pg_relation_size(c.oid) > CASE WHEN c.reltuples < 0 THEN 0 ELSE (2 * c.relpages + 2) * current_setting('block_size')::bigint END
			OR pg_stat_get_xact_tuples_inserted(c.oid) > c.reltuples AND c.reltuples >= 0 AND pg_stat_get_xact_tuples_inserted(c.oid) > 0)
	ORDER BY c.relname`

// count counts the rows that statements have changed.
func (s *session) count(ops []*op) {
	var changed int64
	for _, o := range ops {
		changed += o.rows
	}
	total := s.engine.changed.Add(changed)
	for at := s.engine.analyzeAt.Load(); total >= at; at = s.engine.analyzeAt.Load() {
		if s.engine.analyzeAt.CompareAndSwap(at, 2*total) {
			s.analyze = true
		}
	}
}

// analyzeGrown updates the statistics of the tables that have grown, if it is time to. It is part
// of the transaction.
func (s *session) analyzeGrown() error {
	if !s.analyze || !s.link.isOpen() || s.link.conn.TxStatus() != inTransaction {
		return nil
	}
	s.analyze = false
	r, err := s.link.trip(s.ctx, []*op{{text: grownTables, bare: true}}, true)
	if err != nil {
		return err
	}
	var grown []string
	err = each(r, func(row []db.Value) error {
		name, _ := row[0].(string)
		grown = append(grown, name)
		return nil
	})
	if err != nil {
		return err
	}
	if len(grown) == 0 {
		return nil
	}
	_, err = s.link.trip(s.ctx, []*op{{text: "ANALYZE (SKIP_LOCKED) " + strings.Join(grown, ", "), bare: true}}, false)
	return err
}
