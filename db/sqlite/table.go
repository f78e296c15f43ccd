package sqlite

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
)

// table is a table of a tenant's file.
type table struct {
	db.Table
	refers []string // tables that its foreign keys refer to
}

// Tables implements [db.Session]. Full-text tables and their shadow tables are derived data and
// omitted.
func (c *conn) Tables() ([]db.Table, error) {
	var tables []*table
	err := c.each("PRAGMA table_list", func(v []driver.Value) error {
		name, _ := v[1].(string)
		if v[0] == "main" && v[2] == "table" && !isEngineTable(name) {
			tables = append(tables, &table{Table: db.Table{Name: name}})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(tables, func(a, b *table) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range tables {
		if err := t.describe(c); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	described := make([]db.Table, len(tables))
	for i, t := range inReferenceOrder(tables) {
		described[i] = t.Table
	}
	return described, nil
}

// isEngineTable reports whether a table belongs to SQLite or to Litestream.
func isEngineTable(name string) bool {
	return strings.HasPrefix(name, "sqlite_") || strings.HasPrefix(name, "_litestream_")
}

func (t *table) describe(c *conn) error {
	keys := map[int64]string{}
	err := c.each("SELECT name, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid", func(v []driver.Value) error {
		name, _ := v[0].(string)
		if hidden, _ := v[2].(int64); hidden != 0 {
			return nil
		}
		t.Columns = append(t.Columns, name)
		if pk, _ := v[1].(int64); pk > 0 {
			keys[pk] = name
		}
		return nil
	}, t.Name)
	if err != nil {
		return err
	}
	for i := int64(1); i <= int64(len(keys)); i++ {
		t.Key = append(t.Key, keys[i])
	}
	if len(t.Key) == 0 {
		t.Key = []string{"rowid"}
	}
	return c.each(`SELECT DISTINCT "table" FROM pragma_foreign_key_list(?) ORDER BY 1`, func(v []driver.Value) error {
		name, _ := v[0].(string)
		t.refers = append(t.refers, name)
		return nil
	}, t.Name)
}

// inReferenceOrder sorts each table after the tables that it refers to, except in cycles.
func inReferenceOrder(tables []*table) []*table {
	byName := make(map[string]*table, len(tables))
	for _, t := range tables {
		byName[t.Name] = t
	}
	var ordered []*table
	visited := make(map[*table]bool, len(tables))
	var visit func(t *table)
	visit = func(t *table) {
		if t == nil || visited[t] {
			return
		}
		visited[t] = true
		for _, name := range t.refers {
			visit(byName[name])
		}
		ordered = append(ordered, t)
	}
	for _, t := range tables {
		visit(t)
	}
	return ordered
}
