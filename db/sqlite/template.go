package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"storefront/db"
)

// templates are the templates of this process. All stores of a schema share one, which is never
// closed.
var templates sync.Map // of templateKey to *template

type templateKey struct {
	schema  string
	version int
}

// template is an empty tenant's database in memory, created once from the schema. The data of a new
// tenant is written into it, serialized, and rolled back. Running the schema for each tenant would
// cost ten times as much, and opening a file with the schema twice as much.
type template struct {
	mu   sync.Mutex
	conn *conn // nil until first used

	known map[string]schemaObject // the schema, see objects; nil until first used
}

// template returns the template of the store's schema.
func (s *Files) template() *template {
	t, _ := templates.LoadOrStore(templateKey{s.opts.Schema, s.newest()}, new(template))
	return t.(*template)
}

// fill returns the content of a tenant's file with the data that build writes. build may be nil.
func (t *template) fill(s *Files, build func(db.Session) error) (file []byte, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.isClosed() {
		return nil, db.ErrClosed
	}
	if t.conn == nil {
		c, err := s.connectTemplate()
		if err != nil {
			return nil, fmt.Errorf("apply the schema: %w", err)
		}
		t.conn = c
	}
	c := t.conn
	if err := c.run("BEGIN"); err != nil {
		return nil, err
	}
	defer func() { // also if build panics
		if rerr := c.run("ROLLBACK"); rerr != nil {
			t.conn = nil
			err = errors.Join(err, rerr, c.close())
		}
	}()
	if build != nil {
		if err := build(c); err != nil {
			return nil, err
		}
	}
	// At a savepoint full-text search writes its buffer.
	if err := c.run("SAVEPOINT whole"); err != nil {
		return nil, err
	}
	if file, err = c.raw.(interface{ Serialize() ([]byte, error) }).Serialize(); err != nil {
		return nil, err
	}
	// Two bytes of the header set WAL mode, which a database in memory cannot have:
	// https://www.sqlite.org/fileformat2.html, section 1.3.3.
	file[18], file[19] = 2, 2
	return file, nil
}

func (s *Files) connectTemplate() (*conn, error) {
	c, err := connect("/template", "memory", []pragma{{"foreign_keys", "ON"}, {"trusted_schema", "OFF"}})
	if err != nil {
		return nil, err
	}
	if err := s.applySchema(c); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (s *Files) applySchema(c *conn) error {
	if err := c.run("BEGIN"); err != nil {
		return err
	}
	if err := c.script(context.Background(), s.opts.Schema); err != nil {
		return err
	}
	if err := c.setNumber("application_id", appID); err != nil {
		return err
	}
	if err := c.setNumber("user_version", int64(s.newest())); err != nil {
		return err
	}
	return c.run("COMMIT")
}
