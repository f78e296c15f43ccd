package postgres

import (
	"fmt"
	"strconv"
	"strings"

	"storefront/db"
)

// distributed is the engine's table that Citus distributes by shop, like the tables of the shops'
// data. The others are on the coordinator.
const distributed = "engine_state"

// Script returns the statements that create the tables for a schema.sql and its steps in an empty
// database, each on lines of its own, as SQL for psql. With citus set they are for a cluster of
// Citus: everything of a shop is in one shard. The program creates the tables itself in a database
// without Citus.
func Script(text string, steps []db.Step, citus bool) (string, error) {
	s, err := parseSchema(text)
	if err != nil {
		return "", err
	}
	statements := []string{"CREATE SCHEMA " + defaultNamespace, "SET search_path = " + defaultNamespace + ", public"}
	statements = append(statements, engineDDL...)
	if citus {
		statements = append(statements, distribute(distributed, "none"))
	}
	statements = append(statements, s.create...)
	if citus { // before the foreign keys, which are between tables in the same shard
		for _, t := range s.order {
			statements = append(statements, distribute(t.name, distributed))
		}
	}
	statements = append(statements, s.indexes...)
	statements = append(statements, s.references...)
	return strings.Join(append(statements, insertMeta(len(steps)+1)), ";\n\n") + ";\n", nil
}

func distribute(table, with string) string {
	return fmt.Sprintf("SELECT create_distributed_table('%s', '%s', colocate_with => '%s')", table, shopColumn, with)
}

// insertMeta returns the statement that records the version of the tables.
func insertMeta(version int) string {
	return "INSERT INTO meta (schema, made_at) VALUES (" + strconv.Itoa(version) + ", (extract(epoch FROM now()) * 1000)::bigint)"
}
