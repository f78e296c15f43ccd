// Command peer is PocketBase with the part of a shop that the comparison needs: a collection of
// products, filled from a file of JSON lines, and one of orders to which anyone may add.
//
//	PEER_DIR=DIR PEER_PRODUCTS=FILE [PEER_FULL=1] peer serve --http ADDRESS
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"strings"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

func main() {
	// PocketBase parses the flags, so the settings are environment variables.
	app := pocketbase.NewWithConfig(pocketbase.Config{
		DefaultDataDir: os.Getenv("PEER_DIR"),
		DBConnect: func(path string) (*dbx.DB, error) {
			if os.Getenv("PEER_FULL") == "" {
				return core.DefaultDBConnect(path)
			}
			// PocketBase's own pragmas except synchronous.
			return dbx.Open("sqlite", path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)"+
				"&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)")
		},
	})
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		if err := fill(e.App, os.Getenv("PEER_PRODUCTS")); err != nil {
			return err
		}
		return e.Next()
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

// fill creates the collections unless they exist.
func fill(app core.App, file string) error {
	if _, err := app.FindCollectionByNameOrId("products"); err == nil {
		return nil
	}
	anyone := types.Pointer("")
	products := core.NewBaseCollection("products")
	products.ListRule, products.ViewRule = anyone, anyone
	for _, name := range []string{"handle", "title", "description", "vendor", "type", "stockStatus", "publishedAt", "updatedAt"} {
		products.Fields.Add(&core.TextField{Name: name, Max: 10_000})
	}
	for _, name := range []string{"tags", "images", "options", "variants", "price", "compareAtPrice", "priceRange", "seo", "collectionIds", "metadata"} {
		products.Fields.Add(&core.JSONField{Name: name})
	}
	products.Fields.Add(&core.BoolField{Name: "available"}, &core.AutodateField{Name: "created", OnCreate: true})
	products.AddIndex("products_by_handle", true, "handle", "")
	products.AddIndex("products_by_created", false, "created", "")
	if err := app.Save(products); err != nil {
		return err
	}
	orders := core.NewBaseCollection("orders")
	orders.CreateRule = anyone
	for _, name := range []string{"name", "phone", "address", "city"} {
		orders.Fields.Add(&core.TextField{Name: name})
	}
	orders.Fields.Add(&core.JSONField{Name: "items"}, &core.NumberField{Name: "total"}, &core.AutodateField{Name: "created", OnCreate: true})
	if err := app.Save(orders); err != nil {
		return err
	}
	return app.RunInTransaction(func(tx core.App) error { return fillProducts(tx, products, file) })
}

func fillProducts(app core.App, products *core.Collection, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal(lines.Bytes(), &fields); err != nil {
			return err
		}
		record := core.NewRecord(products)
		record.Load(fields)
		if err := app.Save(record); err != nil {
			return err
		}
	}
	return lines.Err()
}
