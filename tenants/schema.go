package tenants

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"storefront/db"
)

// ownSteps has the schema steps of this program, see steps/README.md.
//
//go:embed steps
var ownSteps embed.FS

// Steps returns the schema steps of this program, oldest first.
func Steps() []db.Step { return newSchema(Config{}).steps }

// schema is the schema of the shops, with the steps from older versions to it.
type schema struct {
	text  string    // of schema.sql
	first string    // the first released schema, if there are steps
	steps []db.Step // from the first released schema to schema.sql, oldest first
}

func newSchema(cfg Config) schema {
	files := cfg.Steps
	if files == nil {
		files, _ = fs.Sub(ownSteps, "steps") // fails for an invalid path only
	}
	s := schema{text: cfg.Schema, first: readStep(files, "01.sql")}
	for version := 2; ; version++ {
		step := db.Step{
			SQL:      readStep(files, fmt.Sprintf("%02d.sql", version)),
			Postgres: readStep(files, fmt.Sprintf("%02d.postgres.sql", version)),
		}
		if step == (db.Step{}) {
			return s
		}
		first, _, _ := strings.Cut(cmp.Or(step.SQL, step.Postgres), "\n")
		step.Name = strings.TrimPrefix(first, "-- ")
		s.steps = append(s.steps, step)
	}
}

// readStep returns the text of a file; "" if there is none.
func readStep(files fs.FS, name string) string {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return ""
	}
	return string(text)
}

// version returns the version of schema.sql; the first released schema is version 1.
func (s schema) version() int { return len(s.steps) + 1 }

// at returns the schema of a version, and the steps that lead to it.
func (s schema) at(version int) (string, []db.Step) {
	if version == s.version() {
		return s.text, s.steps
	}
	text := s.first
	for _, step := range s.steps[:version-1] {
		text += "\n" + step.SQL
	}
	return text, s.steps[:version-1]
}
