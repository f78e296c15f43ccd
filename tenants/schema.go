package tenants

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"storefront/db"
)

// stepFiles has the first released schema in 01.sql, and what each later version changes in NN.sql
// and, for PostgreSQL, NN.postgres.sql: either may be missing. The first line names the step. A
// released file must never change.
//
//go:embed steps/*.sql
var stepFiles embed.FS

// oldestSchema is the first released schema.
var oldestSchema = readStep("01.sql")

// steps lead from the first released schema to schema.sql.
var steps = readSteps()

// Steps returns the schema steps, oldest first, that upgrade a shop's file from the first released
// schema to the newest, which is schema.sql. The caller may append to the result.
func Steps() []db.Step { return slices.Clone(steps) }

// newestSchema returns the version of schema.sql; the first released schema is version 1.
func newestSchema() int { return len(steps) + 1 }

func readSteps() []db.Step {
	var all []db.Step
	for version := 2; ; version++ {
		step := db.Step{SQL: readStep(fmt.Sprintf("%02d.sql", version)), Postgres: readStep(fmt.Sprintf("%02d.postgres.sql", version))}
		first, _, _ := strings.Cut(step.SQL+step.Postgres, "\n")
		if first == "" {
			return all
		}
		step.Name = strings.TrimPrefix(first, "-- ")
		all = append(all, step)
	}
}

// readStep returns the text of a file; "" if there is none.
func readStep(name string) string {
	text, err := fs.ReadFile(stepFiles, "steps/"+name)
	if err != nil {
		return ""
	}
	return string(text)
}
