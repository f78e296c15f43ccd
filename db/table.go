package db

import "strings"

func (t *Table) selectAll() string {
	return "SELECT " + quoteNames(t.Columns) + " FROM " + quoteName(t.Name) + " ORDER BY " + quoteNames(t.Key)
}

func (t *Table) insert(columns []string) string {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	return "INSERT INTO " + quoteName(t.Name) + " (" + quoteNames(columns) + ") VALUES (" + marks + ")"
}

// adder returns the function that adds a row with those columns to the table, now or with a later
// statement.
func (t *Table) adder(to Session, columns []string) (add func(row []Value) error, err error) {
	if loader, ok := to.(Loader); ok {
		return loader.Load(t.Name, columns)
	}
	st, err := to.Statement(t.insert(columns))
	if err != nil {
		return nil, err
	}
	return func(row []Value) error {
		_, err := st.Do(row)
		return err
	}, nil
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quoteName(name)
	}
	return strings.Join(quoted, ", ")
}
