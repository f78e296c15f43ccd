package design

import (
	"encoding/json"
	"fmt"
	"strconv"

	"storefront/db"
)

// draftVersion is the number under which the draft is stored.
const draftVersion = 0

// findVersion returns a stored document. The error is db.ErrNotFound if there is none.
func findVersion(tx *db.Tx, version int) (*Document, error) {
	var text string
	err := tx.QueryRow(`
		SELECT document
		FROM designs
		WHERE version = ?`, version).Scan(&text)
	if err != nil {
		return nil, fmt.Errorf("find design: %w", err)
	}
	found := &Document{}
	if err := json.Unmarshal([]byte(text), found); err != nil {
		return nil, fmt.Errorf("parse design: %w", err)
	}
	return found, nil
}

// IsPublished reports whether a version of the design was published.
func IsPublished(tx *db.Tx) (is bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM designs
			WHERE version > 0)`).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("find any published design: %w", err)
	}
	return is, nil
}

// HasOwnTheme reports whether the live design has a theme of the shop.
func HasOwnTheme(tx *db.Tx) (has bool, err error) {
	versions, err := findVersions(tx)
	if err != nil {
		return false, err
	}
	if len(versions) == 0 {
		return false, nil
	}
	live, err := findVersion(tx, versions[0].Version)
	if err != nil {
		return false, err
	}
	return !live.Inherited, nil
}

// findVersions returns the published versions, the newest first.
func findVersions(tx *db.Tx) ([]Version, error) {
	scan := func(row db.Row) (v Version, err error) {
		var at int64
		err = row.Scan(&v.Version, &at, &v.PublishedBy)
		v.PublishedAt = db.FromMillis(at)
		return v, err
	}
	found, err := db.Query(tx, scan, `
		SELECT version, saved_at, author
		FROM designs
		WHERE version > 0
		ORDER BY version DESC`)
	if err != nil {
		return nil, fmt.Errorf("find versions of the design: %w", err)
	}
	return found, nil
}

func saveVersion(tx *db.Tx, version int, document *Document, author string, images []image) error {
	if err := deleteVersion(tx, version); err != nil {
		return err
	}
	err := tx.Do(`
		INSERT INTO designs (version, document, author, saved_at)
		VALUES (?, ?, ?, ?)`, version, jsonOf(document), author, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("save design: %w", err)
	}
	return saveImages(tx, versionOwner(version), images)
}

// versionOwner is the owner of the images of a version.
func versionOwner(version int) string { return "design " + strconv.Itoa(version) }

func deleteVersion(tx *db.Tx, version int) error {
	err := tx.Do(`
		DELETE FROM designs
		WHERE version = ?`, version)
	if err != nil {
		return fmt.Errorf("delete design: %w", err)
	}
	return saveImages(tx, versionOwner(version), nil)
}

// jsonOf returns a value of this package in JSON.
func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // sections have valid JSON, because they were decoded from it
	}
	return string(text)
}
