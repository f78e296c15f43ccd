package catalogue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/page"
)

// Collection is a group of products that the merchant put together.
type Collection struct {
	ID              string    `json:"_id"`
	Handle          string    `json:"handle" doc:"URL slug"`
	Title           string    `json:"title"`
	DescriptionHTML string    `json:"descriptionHtml" doc:"Sanitized HTML"`
	Image           *Image    `json:"image"`
	ProductCount    int       `json:"productCount" doc:"Published products in it"`
	UpdatedAt       time.Time `json:"updatedAt"`
}

// CollectionFilter chooses and orders collections. The zero value is the first page, in the merchant's order.
type CollectionFilter struct {
	page.Request
	SortBy string // one of CollectionSorts; "": manual
	Sort   string // one of SortDirections; "": asc for manual and title, else desc
	Search string // words of which each must begin a word of the title; blank: no search
}

// CollectionSorts is what lists of collections can be sorted by. It is not to be changed.
var CollectionSorts = []string{sortManual, "title", sortCreated, "updatedAt"}

var collectionSortColumns = map[string]sortColumn{
	sortManual:  {"c.position", false},
	"title":     {"c.title_key", false},
	sortCreated: {"c.created_at", true},
	"updatedAt": {"c.updated_at", true},
}

// collectionQuery is a checked CollectionFilter.
type collectionQuery struct {
	window  page.Window
	nothing bool // the search has no word that could find anything
	where   string
	args    []any
	orderBy string
}

// query checks the filter. Codes: validation_failed.
func (f *CollectionFilter) query() (*collectionQuery, error) {
	var bad fault.Invalid
	q := &collectionQuery{window: f.Window(&bad), where: "1 = 1"}
	by := f.SortBy
	if by == "" {
		by = sortManual
	}
	column, ok := collectionSortColumns[by]
	if !ok {
		bad.Add("sortBy", fault.CodeInvalidValue, "Sort by one of %s.", strings.Join(CollectionSorts, ", "))
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
		q.nothing = len(words) == 0
		for _, word := range words {
			q.where += ` AND ' ' || c.title_key LIKE ? ESCAPE '\'`
			q.args = append(q.args, "% "+likeEscaper.Replace(word)+"%")
		}
	}
	return q, nil
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// ListCollections gives one page of the collections. Codes: validation_failed.
func (c *Catalogue) ListCollections(ctx context.Context, filter CollectionFilter) (*page.Page[Collection], error) {
	query, err := filter.query()
	if err != nil {
		return nil, err
	}
	list := &page.Page[Collection]{Nodes: []Collection{}, Meta: query.window.MetaFor(0)}
	if query.nothing {
		return list, nil
	}
	err = c.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		total, err := query.count(tx)
		if err != nil {
			return err
		}
		list.Meta = query.window.MetaFor(total)
		list.Nodes, err = query.find(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// FindCollection gives one collection by its id. Codes: not_found.
func (c *Catalogue) FindCollection(ctx context.Context, id string) (*Collection, error) {
	var found Collection
	err := c.view(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		found, err = findCollection(tx, id)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil, fault.Errorf(fault.CodeNotFound, "There is no such collection.")
	} else if err != nil {
		return nil, fmt.Errorf("find collection: %w", err)
	}
	return &found, nil
}
