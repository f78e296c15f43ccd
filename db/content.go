package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Content defines the commits that change a tenant's public content, see [Store.ContentVersion].
type Content struct {
	// Private are the tables without public content. A change of any other table changes the content.
	Private []string
	// Raise is the statement that increments the file's content counter. It runs in the
	// transaction of every commit that changes the content, so that other processes can
	// distinguish these commits from others. "" means that every commit changes the content.
	Raise string
	// Read is the query of the counter.
	Read string
}

// unknownCount is the content counter before it has been read.
const unknownCount = -1

// ContentVersion returns the version of a tenant's public content and the result of
// [Store.ExternalVersion]. The content version increases like [Store.Version], but only with
// commits that change the content.
func (s *Store) ContentVersion(ctx context.Context, id ID) (content, external uint64, err error) {
	v, err := s.currentVersions(ctx, id)
	if err != nil {
		return 0, 0, err
	}
	return v.content.Load(), v.external.Load(), nil
}

// raiseContent sets the content version to one that no tenant of this store has had.
func (v *Versions) raiseContent() { v.content.Store(v.store.versions.Add(1)) }

// raiseContentCount increments the content counter of the data in the current transaction.
func (s *Store) raiseContentCount(session Session) error {
	raise := s.opts.Content.Raise
	if raise == "" {
		return nil
	}
	st, err := session.Statement(raise)
	if err == nil {
		_, err = st.Do(nil)
	}
	if err != nil {
		return fmt.Errorf("raise content counter: %w", err)
	}
	return nil
}

// countContent records a commit of this process that changed the content.
func (v *Versions) countContent() {
	if v.count != unknownCount {
		v.count++
	}
	v.raiseContent()
}

// checkContent raises the content version if the commits of other processes have changed the
// content.
func (v *Versions) checkContent(session Session) error {
	count := int64(unknownCount)
	if read := v.store.opts.Content.Read; read != "" {
		var err error
		if count, err = readNumber(session, read); err != nil {
			return fmt.Errorf("read content counter: %w", err)
		}
	}
	if count == unknownCount || count != v.count {
		v.raiseContent()
	}
	v.count = count
	return nil
}

// readNumber returns the first column of a query's first row.
func readNumber(session Session, query string) (n int64, err error) {
	st, err := session.Statement(query)
	if err != nil {
		return 0, err
	}
	rows, err := st.Query(nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values := make([]Value, rows.Columns())
	if err := rows.Next(values); err != nil {
		return 0, err
	}
	return n, assign(&n, values[0])
}

// changesContent reports whether a writing statement has changed the public content.
func (tx *Tx) changesContent(table string) bool { return table == "" || !tx.private[table] }

// writtenTable returns the table that an INSERT, UPDATE or DELETE statement writes, or "" if that
// is unknown.
func writtenTable(query string) string {
	words := strings.Fields(skipBlank(query))
	at := 1
	if len(words) > 1 && (strings.EqualFold(words[1], "INTO") || strings.EqualFold(words[1], "FROM")) {
		at = 2
	}
	if len(words) <= at {
		return ""
	}
	name, _, _ := strings.Cut(words[at], "(")
	if strings.IndexFunc(name, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) >= 0 {
		return ""
	}
	return name
}
