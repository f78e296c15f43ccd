// Command compatibility compares the interfaces of the program with the records of earlier
// releases: the REST API, the Admin API, the GraphQL schema, and the commands with their flags.
// docs/compatibility.md is the policy.
//
//	go run .                  fails if a change breaks programs, or if the page of changes is old
//	go run . update           writes the page of changes, ../server/reference/changes.json
//	go run . record VERSION   records the working tree as a release
//
// It builds the program and needs Node.js with the packages of ../clients/generators.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/semver"
)

const page = "../server/reference/changes.json"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	current, err := currentContract()
	if err != nil {
		return err
	}
	if len(args) == 2 && args[0] == "record" {
		return record(args[1], current)
	}
	if len(args) > 1 || len(args) == 1 && args[0] != "update" {
		return errors.New("usage: go run . [update | record VERSION]")
	}
	records, err := readRecords("releases")
	if err != nil {
		return err
	}
	releases, err := compareAll(append(records, current))
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(releases, "", " ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if len(args) == 1 {
		if err := os.WriteFile(page, text, 0o644); err != nil {
			return err
		}
	} else if written, err := os.ReadFile(page); err != nil || !bytes.Equal(written, text) {
		return fmt.Errorf("%s is not of this tree: run go run . update in the folder compatibility", page)
	}
	return breaking(releases)
}

// breaking returns an error with each change that breaks programs. A release may break them if the
// version before is a pre-release or its major version is another; the working tree may not.
func breaking(releases []release) error {
	var all []error
	for i, r := range releases[:len(releases)-1] { // the newest is first, and the first record changes nothing
		before := "v" + releases[i+1].Version
		if r.Version != "" && (semver.Prerelease(before) != "" || semver.Major("v"+r.Version) != semver.Major(before)) {
			continue
		}
		for _, s := range r.Surfaces {
			for _, c := range s.Changes {
				if c.Breaking {
					all = append(all, fmt.Errorf("%s, since %s: %s: %s", s.Name, releases[i+1].Version, c.Subject, c.Text))
				}
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("These changes break programs; docs/compatibility.md describes how to change instead.\n%w", errors.Join(all...))
}

// record writes the record of a release, once.
func record(version string, current contract) error {
	if !semver.IsValid("v" + version) {
		return fmt.Errorf("%q is not a version such as 1.4.0", version)
	}
	current.Version, current.Date = version, time.Now().UTC().Format(time.DateOnly)
	file := filepath.Join("releases", version+".json.gz")
	if _, err := os.Stat(file); err == nil {
		return fmt.Errorf("%s is recorded: a record never changes", version)
	}
	return current.write(file)
}
