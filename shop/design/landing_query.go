package design

import (
	"encoding/json"
	"fmt"

	"storefront/db"
)

func scanLandingPage(row db.Row) (p LandingPage, err error) {
	var text string
	if err := row.Scan(&text); err != nil {
		return p, err
	}
	err = json.Unmarshal([]byte(text), &p)
	return p, err
}

// findLandingPage returns a landing page. The error is db.ErrNotFound if there is none.
func findLandingPage(tx *db.Tx, slug string) (*LandingPage, error) {
	found, err := scanLandingPage(tx.QueryRow(`
		SELECT document
		FROM landing_pages
		WHERE slug = ?`, slug))
	if err != nil {
		return nil, fmt.Errorf("find landing page: %w", err)
	}
	return &found, nil
}

func findLandingPages(tx *db.Tx) ([]LandingPage, error) {
	found, err := db.Query(tx, scanLandingPage, `
		SELECT document
		FROM landing_pages
		ORDER BY slug`)
	if err != nil {
		return nil, fmt.Errorf("find landing pages: %w", err)
	}
	return found, nil
}

func saveLandingPage(tx *db.Tx, page *LandingPage, images []image) error {
	err := tx.Do(`
		INSERT INTO landing_pages (slug, document)
		VALUES (?, ?)
		ON CONFLICT (slug) DO UPDATE SET document = excluded.document`, page.Slug, jsonOf(page))
	if err != nil {
		return fmt.Errorf("save landing page: %w", err)
	}
	return saveImages(tx, landingOwner(page.Slug), images)
}

func deleteLandingPage(tx *db.Tx, slug string) error {
	err := tx.Do(`
		DELETE FROM landing_pages
		WHERE slug = ?`, slug)
	if err != nil {
		return fmt.Errorf("delete landing page: %w", err)
	}
	return saveImages(tx, landingOwner(slug), nil)
}

// landingOwner is the owner of the images of a landing page.
func landingOwner(slug string) string { return "landing " + slug }

// saveImages replaces the images that an owner shows: a version of the design or a landing page.
func saveImages(tx *db.Tx, owner string, images []image) error {
	err := tx.Do(`
		DELETE FROM design_images
		WHERE owner = ?`, owner)
	if err != nil {
		return fmt.Errorf("delete images of the design: %w", err)
	}
	for _, i := range images {
		err := tx.Do(`
			INSERT INTO design_images (owner, media_id)
			VALUES (?, ?)
			ON CONFLICT DO NOTHING`, owner, i.id)
		if err != nil {
			return fmt.Errorf("save images of the design: %w", err)
		}
	}
	return nil
}
