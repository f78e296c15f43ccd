package db

import "strings"

func (t *Table) selectAll() string {
	return "SELECT " + quoteNames(t.Columns) + " FROM " + quoteName(t.Name) + " ORDER BY " + quoteNames(t.Key)
}

func (t *Table) insert(columns []string) string {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	return "INSERT INTO " + quoteName(t.Name) + " (" + quoteNames(columns) + ") VALUES (" + marks + ")"
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quoteName(name)
	}
	return strings.Join(quoted, ", ")
}
