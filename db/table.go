package db

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
)

// table describes one table of a tenant's file for exports and imports.
type table struct {
	name    string
	columns []string // in order, without generated ones
	key     []string // columns of the primary key, which rows are ordered by
	refers  []string // tables that its foreign keys refer to
}

// listTables returns the tables that contain data, those that others refer to first. Full-text
// tables and their shadow tables are derived data and omitted.
func listTables(c *conn) ([]*table, error) {
	var tables []*table
	err := c.each("PRAGMA table_list", func(v []driver.Value) error {
		name, _ := v[1].(string)
		if v[0] == "main" && v[2] == "table" && !isEngineTable(name) {
			tables = append(tables, &table{name: name})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(tables, func(a, b *table) int { return strings.Compare(a.name, b.name) })
	for _, t := range tables {
		if err := t.describe(c); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return inReferenceOrder(tables), nil
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
		t.columns = append(t.columns, name)
		if pk, _ := v[1].(int64); pk > 0 {
			keys[pk] = name
		}
		return nil
	}, t.name)
	if err != nil {
		return err
	}
	for i := int64(1); i <= int64(len(keys)); i++ {
		t.key = append(t.key, keys[i])
	}
	return c.each(`SELECT DISTINCT "table" FROM pragma_foreign_key_list(?) ORDER BY 1`, func(v []driver.Value) error {
		name, _ := v[0].(string)
		t.refers = append(t.refers, name)
		return nil
	}, t.name)
}

// inReferenceOrder sorts each table after those that it refers to, except in cycles.
func inReferenceOrder(tables []*table) []*table {
	byName := make(map[string]*table, len(tables))
	for _, t := range tables {
		byName[t.name] = t
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

func (t *table) selectAll() string {
	order := quoteNames(t.key)
	if order == "" {
		order = "rowid"
	}
	return "SELECT " + quoteNames(t.columns) + " FROM " + quoteName(t.name) + " ORDER BY " + order
}

func (t *table) insert(columns []string) string {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	return "INSERT INTO " + quoteName(t.name) + " (" + quoteNames(columns) + ") VALUES (" + marks + ")"
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quoteName(name)
	}
	return strings.Join(quoted, ", ")
}
