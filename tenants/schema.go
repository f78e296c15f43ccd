package tenants

import "storefront/db"

// Steps brings a shop's file from the first released schema to the newest one, which is
// schema.sql, oldest step first. A released step never changes.
var Steps = []db.Step{
	{Name: "revisions of products", SQL: `
		ALTER TABLE products ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
		CREATE INDEX products_by_number ON products (number, status, published_at, id);`},
}
