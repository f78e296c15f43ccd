package db

import (
	"context"
	"fmt"
	"strings"
)

// Content defines which commits change a tenant's public content, see [Store.ContentVersion].
type Content struct {
	// Private are the tables whose rows are not public content. A change of any other table changes
	// the content.
	Private []string
	// Raise is the statement that increments the file's content counter. It runs in the transaction
	// of every commit that changes the content, so that other processes can distinguish these commits from
	// others. "" means that every commit changes the content.
	Raise string
	// Read is the query of the counter.
	Read string
}

// unknownCount is the content counter before it has been read.
const unknownCount = -1

// ContentVersion returns the version of a tenant's public content and the result of
// [Store.ExternalVersion]. The content version increases like [Store.Version], but only with commits
// that change the content.
func (s *Store) ContentVersion(ctx context.Context, id ID) (content, external uint64, err error) {
	err = s.readVersions(ctx, id, func(t *tenant) { content, external = t.content.Load(), t.external.Load() })
	return content, external, err
}

// bumpContent sets the tenant's content version to one that no tenant of this store has had.
func (t *tenant) bumpContent() { t.content.Store(t.store.versions.Add(1)) }

// raiseContent increments the file's content counter in the current transaction.
func (w *writer) raiseContent() error {
	raise := w.t.store.opts.Content.Raise
	if raise == "" {
		return nil
	}
	if err := w.conn.run(raise); err != nil {
		return fmt.Errorf("raise content counter: %w", err)
	}
	return nil
}

// countContent records a commit of this writer that changed the content.
func (w *writer) countContent() {
	if w.contentCount != unknownCount {
		w.contentCount++
	}
	w.t.bumpContent()
}

// checkContent changes the content version if the commits of other processes have changed the
// content.
func (w *writer) checkContent() error {
	count := int64(unknownCount)
	if read := w.t.store.opts.Content.Read; read != "" {
		var err error
		if count, err = w.conn.number(read); err != nil {
			return fmt.Errorf("read content counter: %w", err)
		}
	}
	if count == unknownCount || count != w.contentCount {
		w.t.bumpContent()
	}
	w.contentCount = count
	return nil
}

// changesContent reports whether a statement that wrote has changed the public content.
func (tx *Tx) changesContent(st *stmt) bool { return st.table == "" || !tx.private[st.table] }

// writtenTable returns the table that an INSERT, UPDATE or DELETE statement writes, or "" if that is
// unknown.
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
