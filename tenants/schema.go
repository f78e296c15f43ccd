package tenants

import "storefront/db"

// Steps brings a shop's file from the first released schema to the newest one, which is
// schema.sql, oldest step first. A released step never changes.
var Steps []db.Step
