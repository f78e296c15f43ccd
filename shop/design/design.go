package design

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/secret"
)

// MaxVersions is the number of published versions that are stored.
const MaxVersions = 20

// Designs are the designs of one shop: a draft, and the versions that were published. They are safe
// for concurrent use. Create them with [New].
type Designs struct {
	data         access.Data
	secrets      *secret.Store
	useMedia     func(tx *db.Tx, id string) error
	findProducts func(tx *db.Tx, field string, names []string) ([]string, error)
	published    atomic.Pointer[cached]

	findTargets func(tx *db.Tx, wanted Targets) (Targets, error)
	inherited   func(tx *db.Tx) (theme *Theme, locked bool, err error)
}

// Config is the configuration of [Designs]. Every field is required.
type Config struct {
	Data    access.Data
	Secrets *secret.Store
	// UseMedia marks an uploaded image as used. Codes: not_found.
	UseMedia func(tx *db.Tx, id string) error
	// FindProducts returns the IDs of the products with these IDs or handles, each once. field is
	// the name of the list in errors. Codes: validation_failed.
	FindProducts func(tx *db.Tx, field string, names []string) ([]string, error)
	// FindTargets returns which of the products, collections, pages and policies buyers see, also
	// by handles that they had earlier.
	FindTargets func(tx *db.Tx, wanted Targets) (Targets, error)

	// Default returns the theme of a shop that has published no design, and whether no other one is
	// possible; nil means [Default].
	Default func(tx *db.Tx) (theme *Theme, locked bool, err error)
}

// New returns the designs of a shop. It reads nothing.
func New(cfg Config) *Designs {
	return &Designs{
		data: cfg.Data, secrets: cfg.Secrets, useMedia: cfg.UseMedia, findProducts: cfg.FindProducts, findTargets: cfg.FindTargets,
		inherited: cfg.Default,
	}
}

// Version is a published version of the design.
type Version struct {
	Version     int       `json:"version"`
	PublishedAt time.Time `json:"publishedAt"`
	PublishedBy string    `json:"publishedBy" doc:"Name of the member or API key that published it; empty at the command line"`
}

// Design is what staff members see of the designs.
type Design struct {
	Draft     Document  `json:"draft" doc:"The design that is edited. Without changes it is the live one"`
	Changed   bool      `json:"changed" doc:"The draft has changes that are not published"`
	Live      Document  `json:"live" doc:"The design that buyers see"`
	Version   int       `json:"version" doc:"The version that is live; 0 if none was published"`
	Inherited bool      `json:"inherited" doc:"Buyers see the operator's default: the shop has no other design and values, or cannot"`
	Default   *Theme    `json:"default" doc:"The operator's default; null if there is none"`
	Locked    bool      `json:"locked" doc:"The operator of the server allows no other design and values"`
	Versions  []Version `json:"versions" nullable:"false" doc:"The published versions, the newest first, at most 20"`

	Designs []Document `json:"designs" nullable:"false" doc:"The designs to choose from, each with its own values and sections"`

	own Document // the draft with the shop's own theme, also while it is locked
}

// FindDesign returns the draft, the live design and its versions. Codes: unauthenticated,
// forbidden.
func (d *Designs) FindDesign(ctx context.Context, caller access.Caller) (*Design, error) {
	return access.Read(ctx, d.data, caller, access.ToFindDesign, func(tx *db.Tx, _ access.Staff) (*Design, error) {
		return d.findDesign(tx)
	})
}

// FindDesignVersion returns a published version. Codes: not_found, unauthenticated, forbidden.
func (d *Designs) FindDesignVersion(ctx context.Context, caller access.Caller, version int) (*Document, error) {
	return access.Read(ctx, d.data, caller, access.ToFindDesignVersion, func(tx *db.Tx, _ access.Staff) (*Document, error) {
		return requireVersion(tx, version)
	})
}

// SaveDesign replaces the draft, on condition that check accepts the one before; nil accepts any.
// Buyers do not see it. Codes: validation_failed, unauthenticated, forbidden, and check's.
func (d *Designs) SaveDesign(ctx context.Context, caller access.Caller, draft Document, check func(Document) error) (*Design, error) {
	return d.change(ctx, caller, access.ToSaveDesign, check, func(tx *db.Tx, _ access.Staff, now *Design) ([]access.Change, error) {
		if err := now.checkTheme(&draft); err != nil {
			return nil, err
		}
		tx.SkipContentVersion() // before publication nothing changes for buyers
		changes := draft.changesFrom(&now.Draft)
		if len(changes) == 0 {
			return nil, nil
		}
		if draft.equals(&now.Live) {
			return changes, deleteVersion(tx, draftVersion)
		}
		return changes, d.save(tx, draftVersion, now, &draft, "")
	})
}

// PublishDesign makes the draft live, on condition that check accepts it; nil accepts any. Codes:
// validation_failed, unauthenticated, forbidden, and check's.
func (d *Designs) PublishDesign(ctx context.Context, caller access.Caller, check func(Document) error) (*Design, error) {
	return d.change(ctx, caller, access.ToPublishDesign, check, func(tx *db.Tx, who access.Staff, now *Design) ([]access.Change, error) {
		if !now.Changed {
			return nil, nil
		}
		if err := deleteVersion(tx, draftVersion); err != nil {
			return nil, err
		}
		return d.publish(tx, who, now, &now.Draft)
	})
}

// RestoreDesign makes a published version live again, as a new version. A draft with changes stays
// as it is. check accepts the draft that the caller has seen; nil accepts any. Codes: not_found,
// validation_failed, unauthenticated, forbidden, and check's.
func (d *Designs) RestoreDesign(
	ctx context.Context, caller access.Caller, version int, check func(Document) error,
) (*Design, error) {
	return d.change(ctx, caller, access.ToRestoreDesign, check, func(tx *db.Tx, who access.Staff, now *Design) ([]access.Change, error) {
		earlier, err := requireVersion(tx, version)
		if err != nil {
			return nil, err
		}
		if version == now.Version {
			return nil, nil
		}
		changes, err := d.publish(tx, who, now, earlier)
		return append(changes, access.Set("restored", version)), err
	})
}

// change changes the designs in one transaction. A change without differences is not audited.
func (d *Designs) change(
	ctx context.Context, caller access.Caller, use access.UseCase, check func(Document) error,
	change func(tx *db.Tx, who access.Staff, now *Design) ([]access.Change, error),
) (*Design, error) {
	return access.Write(ctx, d.data, caller, use, func(tx *db.Tx, who access.Staff) (*Design, error) {
		now, err := d.findDesign(tx)
		if err != nil {
			return nil, err
		}
		if err := access.Accept(check, now.Draft); err != nil {
			return nil, err
		}
		changes, err := change(tx, who, now)
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 {
			return now, nil
		}
		after, err := d.findDesign(tx)
		if err != nil {
			return nil, err
		}
		return after, who.Audit(tx, access.Subject{Kind: access.SubjectDesign}, changes...)
	})
}

// publish stores a document as the next version, and removes versions that are too old.
func (d *Designs) publish(tx *db.Tx, who access.Staff, now *Design, document *Document) ([]access.Change, error) {
	next := now.Version + 1
	if err := d.save(tx, next, now, document, who.Actor().Name); err != nil {
		return nil, err
	}
	for _, old := range now.Versions[min(len(now.Versions), MaxVersions-1):] {
		if err := deleteVersion(tx, old.Version); err != nil {
			return nil, err
		}
	}
	return access.Changed("version", now.Version, next), nil
}

// save checks and stores a version, and marks its images as used. While the theme is locked, the
// shop's own one is stored, which is in use again later. Codes: validation_failed.
func (d *Designs) save(tx *db.Tx, version int, now *Design, document *Document, author string) error {
	if now.Locked {
		stored := *document
		stored.Design, stored.Tokens, stored.Inherited = now.own.Design, now.own.Tokens, now.own.Inherited
		document = &stored
	}
	var bad fault.Invalid
	images := document.Check(&bad)
	if err := d.useImages(tx, images, &bad); err != nil {
		return err
	}
	return saveVersion(tx, version, document, author, images)
}

// useImages marks images as used. Problems are added to bad. Codes: validation_failed.
func (d *Designs) useImages(tx *db.Tx, images []image, bad *fault.Invalid) error {
	for _, image := range images {
		err := d.useMedia(tx, image.id)
		switch {
		case fault.HasCode(err, fault.CodeNotFound):
			bad.Add(image.path, fault.CodeInvalidValue, "Must be the _id of an uploaded image: upload it first.")
		case err != nil:
			return err
		}
	}
	return bad.Err()
}

// findDesign returns the designs as of a transaction.
func (d *Designs) findDesign(tx *db.Tx) (*Design, error) {
	versions, err := findVersions(tx)
	if err != nil {
		return nil, err
	}
	theme, locked, err := d.inherited(tx)
	if err != nil {
		return nil, err
	}
	found := &Design{Live: Default(), Versions: versions, Designs: choices(), Default: theme, Locked: locked}
	found.Live.Inherited = true
	if len(versions) > 0 {
		found.Version = versions[0].Version
		live, err := findVersion(tx, found.Version)
		if err != nil {
			return nil, err
		}
		found.Live = *live
	}
	draft, err := findVersion(tx, draftVersion)
	switch {
	case errors.Is(err, db.ErrNotFound):
		found.Draft = found.Live
	case err != nil:
		return nil, err
	default:
		found.Draft, found.Changed = *draft, true
	}
	found.own = found.Draft
	found.inherit(&found.Live)
	found.inherit(&found.Draft)
	found.Inherited = found.Live.Inherited
	return found, nil
}

// inherit replaces the theme of a document by the default, if it is in effect there.
func (d *Design) inherit(document *Document) {
	document.Inherited = d.Default != nil && (d.Locked || document.Inherited)
	if document.Inherited {
		document.Design, document.Tokens = d.Default.Design, d.Default.Tokens
	}
}

func (d *Document) theme() Theme { return Theme{d.Design, d.Tokens} }

// checkTheme checks that the theme of a document is possible. A document without a default to
// inherit has its own theme. Codes: setting_locked, validation_failed.
func (d *Design) checkTheme(document *Document) error {
	isDefault := d.Default != nil && jsonOf(document.theme()) == jsonOf(d.Default)
	switch {
	case d.Locked && !isDefault:
		return &fault.Error{
			Code: fault.CodeSettingLocked, Message: "The operator of this server sets the design and its colours for all shops. Sections can be changed.",
			Details: map[string]any{"key": "design"},
		}
	case d.Locked || d.Default == nil:
		document.Inherited = d.Locked
	case document.Inherited && !isDefault:
		var bad fault.Invalid
		bad.Add("inherited", fault.CodeInvalidValue, "Must be false, unless design and tokens are the operator's default.")
		return bad.Err()
	}
	return nil
}

// requireVersion returns a published version. Codes: not_found.
func requireVersion(tx *db.Tx, version int) (*Document, error) {
	var found *Document
	err := db.ErrNotFound
	if version > draftVersion {
		found, err = findVersion(tx, version)
	}
	if errors.Is(err, db.ErrNotFound) {
		return nil, &fault.Error{Code: fault.CodeNotFound, Message: fmt.Sprintf("There is no version %d of the design.", version)}
	}
	return found, err
}

// kindsOf returns the kinds of sections, for the audit log.
func kindsOf(sections []Section) []string {
	names := make([]string, len(sections))
	for i, s := range sections {
		names[i] = s.Kind
	}
	return names
}

// changesFrom returns the differences from an earlier document, for the audit log: templates with
// the kinds of their sections.
func (d *Document) changesFrom(before *Document) []access.Change {
	changes := append(access.Changed("design", before.Design, d.Design), access.Changed("inherited", before.Inherited, d.Inherited)...)
	if jsonOf(d.Tokens) != jsonOf(before.Tokens) {
		changes = append(changes, access.Change{Field: "tokens", Before: before.Tokens, After: d.Tokens})
	}
	old := before.Templates.all()
	for i, t := range d.Templates.all() {
		if jsonOf(*t.sections) != jsonOf(*old[i].sections) {
			changes = append(changes, access.Change{Field: "templates." + t.name, Before: kindsOf(*old[i].sections), After: kindsOf(*t.sections)})
		}
	}
	return changes
}

func (d *Document) equals(other *Document) bool { return len(d.changesFrom(other)) == 0 }
