package catalogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/page"
)

// Collection is a group of products selected by the merchant.
type Collection struct {
	ID              string    `json:"_id"`
	Handle          string    `json:"handle" doc:"URL slug"`
	Title           string    `json:"title"`
	DescriptionHTML string    `json:"descriptionHtml" doc:"Sanitized HTML"`
	Image           *Image    `json:"image"`
	ProductCount    int       `json:"productCount" doc:"Number of published products in the collection"`
	UpdatedAt       time.Time `json:"updatedAt"`
}

// CollectionRecord is a collection with the fields for staff members.
type CollectionRecord struct {
	Collection
	Position   int      `json:"position" doc:"Position among the collections; there may be gaps"`
	ProductIDs []string `json:"productIds" doc:"All products in the merchant's order, published or not; null in lists"`
}

// CollectionFilter selects and sorts collections. The zero value selects the first page, in the
// merchant's order.
type CollectionFilter struct {
	page.Request
	SortBy string // one of CollectionSorts; empty means manual
	Sort   string // one of SortDirections; empty means asc for manual and title, otherwise desc
	Search string // each word must be a prefix of a word of the title; blank disables the search
}

var collectionSorts = []string{sortManual, "title", sortCreated, "updatedAt"}

// CollectionSorts returns the values of [CollectionFilter.SortBy].
func CollectionSorts() []string { return slices.Clone(collectionSorts) }

var collectionSortColumns = map[string]sortColumn{
	sortManual:  {"c.position", false},
	"title":     {"c.title_key", false},
	sortCreated: {"c.created_at", true},
	"updatedAt": {"c.updated_at", true},
}

// collectionQuery is a validated CollectionFilter.
type collectionQuery struct {
	window  page.Window
	noMatch bool // the search has no word to match
	where   string
	args    []any
	orderBy string
}

// query checks the filter. Codes: validation_failed.
func (f *CollectionFilter) query() (*collectionQuery, error) {
	var bad fault.Invalid
	q := &collectionQuery{window: f.Window(&bad), where: collectionNotHidden}
	by := f.SortBy
	if by == "" {
		by = sortManual
	}
	column, ok := collectionSortColumns[by]
	if !ok {
		bad.Add("sortBy", fault.CodeInvalidValue, "Must be one of %s.", strings.Join(collectionSorts, ", "))
	}
	direction := ascending
	if sortDescending(&bad, f.Sort, column.desc) {
		direction = descending
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	q.orderBy = column.expr + " " + direction + ", c.id " + direction
	if strings.TrimSpace(f.Search) != "" {
		words := searchWords(input.FoldKey(f.Search))
		q.noMatch = len(words) == 0
		for _, word := range words {
			q.where += ` AND ' ' || c.title_key LIKE ? ESCAPE '\'`
			q.args = append(q.args, "% "+likeEscaper.Replace(word)+"%")
		}
	}
	return q, nil
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// ListCollections returns one page of the collections. Codes: validation_failed.
func (c *Catalogue) ListCollections(ctx context.Context, filter CollectionFilter) (*page.Page[Collection], error) {
	query, err := filter.query()
	if err != nil {
		return nil, err
	}
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	var list []Collection
	var total int
	err = c.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if list, total, err = query.list(tx, address); err != nil {
			return err
		}
		shown := make([]*Collection, len(list))
		for i := range list {
			shown[i] = &list[i]
		}
		return translateCollections(tx, c.language, shown...)
	})
	if err != nil {
		return nil, err
	}
	return &page.Page[Collection]{Nodes: db.OrEmpty(list), Meta: query.window.MetaFor(total)}, nil
}

// ListCollectionRecords is [Catalogue.ListCollections] for staff members. Codes: validation_failed,
// unauthenticated, forbidden.
func (c *Catalogue) ListCollectionRecords(
	ctx context.Context, caller access.Caller, filter CollectionFilter,
) (*page.List[CollectionRecord], error) {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, c.data, caller, access.ToListCollectionRecords,
		func(tx *db.Tx, _ access.Staff) (*page.List[CollectionRecord], error) {
			query, err := filter.query()
			if err != nil {
				return nil, err
			}
			list, total, err := query.list(tx, address)
			if err != nil {
				return nil, err
			}
			records, err := withPositions(tx, list)
			meta := query.window.ListMetaFor(page.Count{Total: total}, len(records))
			return &page.List[CollectionRecord]{Nodes: db.OrEmpty(records), Meta: meta}, err
		})
}

// FindCollection returns the collection with this ID. Codes: not_found.
func (c *Catalogue) FindCollection(ctx context.Context, id string) (*Collection, error) {
	return c.findCollection(ctx, "id", id)
}

// FindCollectionByHandle returns the collection with this URL slug; otherwise the collection that
// had it earlier. Codes: not_found.
func (c *Catalogue) FindCollectionByHandle(ctx context.Context, handle string) (*Collection, error) {
	return c.findCollection(ctx, "handle", input.CleanHandle(handle))
}

func (c *Catalogue) findCollection(ctx context.Context, by, value string) (*Collection, error) {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	var found Collection
	err = c.data.View(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		found, err = findCollection(tx, by, value, address)
		if by == "handle" && errors.Is(err, db.ErrNotFound) {
			found, err = findCollectionByEarlierHandle(tx, value, address)
		}
		if err != nil {
			return err
		}
		return translateCollections(tx, c.language, &found)
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil, fault.Errorf(fault.CodeNotFound, "The collection does not exist.")
	} else if err != nil {
		return nil, fmt.Errorf("find collection: %w", err)
	}
	return &found, nil
}
