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
	// Raise and RaiseQuantities are the statements that increment the file's counters: of content and
	// of pages, or of content alone. One of them runs in the transaction of every commit that changes
	// the content, so that other processes can distinguish these commits from others. "" means that
	// every commit changes the content.
	Raise, RaiseQuantities string
	// Read is the query of both counters, in one row.
	Read string
}

// extent is how much a transaction may have written. A greater one includes the others.
type extent uint8

const (
	private    extent = iota + 1 // nothing public
	quantities                   // nothing public but quantities and sales figures
	content                      // public content
)

// unknownCount is a counter before it has been read.
const unknownCount = -1

// counts are the counters in the data.
type counts struct{ content, pages int64 }

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

// PageVersion returns the version of a tenant's public content apart from quantities and sales
// figures. It increases like the content version, but not with a commit if each of its writes was
// declared by [Tx.OnlyQuantities] or changed nothing public.
func (s *Store) PageVersion(ctx context.Context, id ID) (pages, content uint64, err error) {
	v, err := s.currentVersions(ctx, id)
	if err != nil {
		return 0, 0, err
	}
	return v.pages.Load(), v.content.Load(), nil
}

// raiseContent sets the content version, and the page version unless only quantities have changed,
// to ones that no tenant of this store has had.
func (v *Versions) raiseContent(wrote extent) {
	next := v.store.versions.Add(1)
	v.content.Store(next)
	if wrote == content {
		v.pages.Store(next)
	}
}

// raiseCounts increments the counters of the data in the current transaction.
func (s *Store) raiseCounts(session Session, wrote extent) error {
	raise := s.opts.Content.Raise
	if wrote == quantities {
		raise = s.opts.Content.RaiseQuantities
	}
	if wrote < quantities || raise == "" {
		return nil
	}
	st, err := session.Statement(raise)
	if err == nil {
		_, err = st.Do(nil)
	}
	if err != nil {
		return fmt.Errorf("raise content counters: %w", err)
	}
	return nil
}

// countContent records a commit of this process that changed the content.
func (v *Versions) countContent(wrote extent) {
	if v.counts.content != unknownCount {
		v.counts.content++
		if wrote == content {
			v.counts.pages++
		}
	}
	v.raiseContent(wrote)
}

// checkContent raises the content version if the commits of other processes have changed the
// content.
func (v *Versions) checkContent(session Session) error {
	found := counts{unknownCount, unknownCount}
	if read := v.store.opts.Content.Read; read != "" {
		var err error
		if found, err = readCounts(session, read); err != nil {
			return fmt.Errorf("read content counters: %w", err)
		}
	}
	switch {
	case found.content == unknownCount || v.counts.content == unknownCount || found.pages != v.counts.pages:
		v.raiseContent(content)
	case found.content != v.counts.content:
		v.raiseContent(quantities)
	}
	v.counts = found
	return nil
}

// readCounts returns the two columns of a query's first row.
func readCounts(session Session, query string) (found counts, err error) {
	st, err := session.Statement(query)
	if err != nil {
		return counts{}, err
	}
	rows, err := st.Query(nil)
	if err != nil {
		return counts{}, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values := make([]Value, rows.Columns())
	if err := rows.Next(values); err != nil {
		return counts{}, err
	}
	return found, errors.Join(assign(&found.content, values[0]), assign(&found.pages, values[1]))
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
