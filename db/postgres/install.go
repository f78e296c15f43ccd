package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"storefront/db"
)

// minVersion is the oldest PostgreSQL that supports the engine's statements, such as ON DELETE SET
// NULL of some columns.
const minVersion = 15

// installTimeout limits the time of a statement that changes the tables.
const installTimeout = 2 * time.Hour

// Tables of the engine. Values and locks are shared by the servers, see [Engine.PutValue]. The
// versions of the data are in small rows of their own with room for updates in place.
var engineDDL = []string{
	"CREATE TABLE meta (\n\tschema bigint NOT NULL,\n\tmade_at bigint NOT NULL\n)",
	"CREATE TABLE shops (\n\tnumber bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,\n\tspace text COLLATE \"C\" NOT NULL,\n\t" +
		"uid text COLLATE \"C\" NOT NULL,\n\tUNIQUE (space, uid)\n)",
	"CREATE TABLE installations (\n\tspace text COLLATE \"C\" PRIMARY KEY,\n\towner text COLLATE \"C\" NOT NULL\n)",
	"CREATE TABLE shared_values (\n\tspace text COLLATE \"C\" NOT NULL,\n\tname text COLLATE \"C\" NOT NULL,\n\tvalue bytea NOT NULL,\n\t" +
		"stored_at bigint NOT NULL,\n\tPRIMARY KEY (space, name)\n)",
	"CREATE TABLE shared_locks (\n\tspace text COLLATE \"C\" NOT NULL,\n\tname text COLLATE \"C\" NOT NULL,\n\t" +
		"holder text COLLATE \"C\" NOT NULL,\n\tuntil bigint NOT NULL,\n\tPRIMARY KEY (space, name)\n)",
	"CREATE TABLE engine_state (\n\tshop bigint PRIMARY KEY,\n\tversion bigint NOT NULL,\n\tschema bigint NOT NULL,\n\t" +
		"state text COLLATE \"C\" NOT NULL,\n\ttouched bigint NOT NULL,\n\ttoken bigint NOT NULL DEFAULT 0\n) WITH (fillfactor = 50)",
}

// DDL returns the statements that create the tables for a schema.sql.
func DDL(text string) ([]string, error) {
	s, err := parseSchema(text)
	if err != nil {
		return nil, err
	}
	return append(append([]string{}, engineDDL...), s.ddl...), nil
}

// install creates the tables, or migrates them to the newest schema.
func (e *Engine) install(ctx context.Context) error {
	l, err := e.pool.acquire(ctx, writing)
	if err != nil {
		return err
	}
	l.timeout = installTimeout
	defer func() {
		l.timeout = 0
		e.pool.release(l, writing)
	}()
	if err := checkServer(l.conn.ParameterStatus("server_version"), l.conn.ParameterStatus("server_encoding")); err != nil {
		return err
	}
	have, err := e.installed(ctx, l)
	if err != nil {
		return err
	}
	if have > e.Schema() {
		return schemaError(have, e.Schema())
	}
	if have == e.Schema() {
		missing, err := e.missingTables(ctx, l)
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			return nil
		}
	}
	return e.installLocked(ctx, l)
}

// checkServer refuses servers that cannot run the statements.
func checkServer(version, encoding string) error {
	major := version[:len(version)-len(strings.TrimLeft(version, "0123456789"))]
	if n, err := strconv.Atoi(major); err == nil && n < minVersion {
		return fmt.Errorf("%w: PostgreSQL %s is too old: upgrade the database server to version %d or newer", db.ErrUnusable, version, minVersion)
	}
	if encoding != "UTF8" {
		return fmt.Errorf("%w: its encoding is %s: create it with ENCODING 'UTF8'", db.ErrUnusable, encoding)
	}
	return nil
}

// installed returns the version of the schema in the database, 0 if there is none.
func (e *Engine) installed(ctx context.Context, l *link) (int, error) {
	tables, err := l.number(ctx, `SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = '`+e.opts.Namespace+`' AND tablename = 'meta'`)
	if err != nil {
		return 0, err
	}
	if tables == 0 {
		return 0, nil
	}
	return l.number(ctx, `SELECT max(schema) FROM meta`)
}

// installLocked creates or migrates the tables in one transaction, while no other process does.
func (e *Engine) installLocked(ctx context.Context, l *link) (err error) {
	begin := []string{
		beginWrite, "SET LOCAL lock_timeout = 0",
		"SELECT pg_advisory_xact_lock(" + strconv.FormatInt(lockKey(e.opts.Namespace, "", "schema"), 10) + ")",
	}
	if err := l.run(ctx, begin); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			l.rollBack()
		}
	}()
	have, err := e.installed(ctx, l)
	if err != nil {
		return err
	}
	var statements []string
	switch {
	case have > e.Schema():
		return schemaError(have, e.Schema())
	case have == e.Schema():
		if statements, err = e.missingTables(ctx, l); err != nil {
			return err
		}
	case have == 0:
		if statements, err = e.createTables(ctx, l); err != nil {
			return err
		}
	case e.opts.Command:
		return schemaError(have, e.Schema())
	default:
		if statements, err = e.missingTables(ctx, l); err != nil {
			return err
		}
		steps, err := e.steps(have)
		if err != nil {
			return err
		}
		statements = append(statements, steps...)
	}
	if err := l.run(ctx, statements); err != nil {
		if have > 0 {
			return fmt.Errorf("%w: %w", db.ErrUpgrade, err)
		}
		return err
	}
	return l.run(ctx, []string{"COMMIT"})
}

// createTables returns the statements that create the tables. A namespace with other tables is
// refused.
func (e *Engine) createTables(ctx context.Context, l *link) (statements []string, err error) {
	others, err := l.number(ctx, `SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = '`+e.opts.Namespace+`'`)
	if err != nil {
		return nil, err
	}
	if others > 0 {
		return nil, fmt.Errorf("%w: its schema %s has tables of another program: %w", db.ErrUnusable, e.opts.Namespace, db.ErrForeignSchema)
	}
	there, err := l.number(ctx, `SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = '`+e.opts.Namespace+`'`)
	if err != nil {
		return nil, err
	}
	if there == 0 { // the right to create one is not needed if it is there
		may, err := l.number(ctx, `SELECT has_database_privilege(current_database(), 'CREATE')::int`)
		if err != nil {
			return nil, err
		}
		if may == 0 {
			return nil, fmt.Errorf("%w: its user may not create a schema: grant it CREATE on the database, or create the schema %s for it",
				db.ErrUnusable, e.opts.Namespace)
		}
		statements = append(statements, "CREATE SCHEMA "+e.opts.Namespace)
	}
	statements = append(append(statements, engineDDL...), e.schema.ddl...)
	return append(statements, insertMeta(e.Schema())), nil
}

// missingTables returns the statements that create the engine's own tables that the database lacks
// because an earlier release created it. A command creates none.
func (e *Engine) missingTables(ctx context.Context, l *link) (statements []string, err error) {
	if e.opts.Command {
		return nil, nil
	}
	for _, create := range engineDDL {
		name := strings.Fields(create)[2]
		there, err := l.number(ctx, `SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = '`+e.opts.Namespace+`' AND tablename = '`+name+`'`)
		if err != nil {
			return nil, err
		}
		if there == 0 {
			statements = append(statements, create)
		}
	}
	return statements, nil
}

// steps returns the statements that change the tables from a version of the schema to the newest.
func (e *Engine) steps(have int) (statements []string, err error) {
	for _, step := range e.opts.Steps[have-1:] {
		if strings.TrimSpace(step.Postgres) == "" {
			return nil, fmt.Errorf("schema step %q has no statements for PostgreSQL: %w", step.Name, db.ErrUpgrade)
		}
		for _, s := range strings.Split(step.Postgres, ";") {
			if strings.TrimSpace(s) != "" {
				statements = append(statements, s)
			}
		}
	}
	newest := strconv.Itoa(e.Schema())
	return append(statements, "UPDATE engine_state SET schema = "+newest, "UPDATE meta SET schema = "+newest), nil
}

// run runs statements without parameters, one after the other.
func (l *link) run(ctx context.Context, statements []string) error {
	for _, s := range statements {
		if _, err := l.trip(ctx, []*op{{text: s, bare: true}}, false); err != nil {
			return err
		}
	}
	return nil
}

// number runs a query for one number.
func (l *link) number(ctx context.Context, text string) (int, error) {
	r, err := l.trip(ctx, []*op{{text: text, bare: true}}, true)
	if err != nil {
		return 0, err
	}
	row, err := r.row()
	if err != nil {
		return 0, err
	}
	return int(row[0]), nil
}
