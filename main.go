// Storefront is a headless commerce backend that serves many shops from one binary.
package main

import (
	_ "embed"
	"os"

	"storefront/cmd"
)

// schema is the SQL schema of one shop's database. It is embedded here because go:embed cannot read
// files of a parent directory.
//
//go:embed schema.sql
var schema string

func main() {
	os.Exit(cmd.Main(cmd.Program{Schema: schema}))
}
