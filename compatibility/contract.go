package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"golang.org/x/mod/semver"
)

// contract is what programs rely on in one version.
type contract struct {
	Version    string          `json:"version"` // "" is the working tree
	Date       string          `json:"date"`    // of the record
	Storefront json.RawMessage `json:"storefront"`
	Admin      json.RawMessage `json:"admin"`
	GraphQL    string          `json:"graphql"`
	Commands   string          `json:"commands"`
}

// currentContract builds the program in the folder above and returns its contract.
func currentContract() (contract, error) {
	folder, err := os.MkdirTemp("", "compatibility")
	if err != nil {
		return contract{}, err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "storefront")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = ".."
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return contract{}, err
	}
	var c contract
	for _, part := range []struct {
		args []string
		set  func(text []byte) error
	}{
		{[]string{"openapi"}, func(text []byte) (err error) { c.Storefront, err = withoutTexts(text); return err }},
		{[]string{"openapi", "--admin"}, func(text []byte) (err error) { c.Admin, err = withoutTexts(text); return err }},
		{[]string{"graphql", "schema"}, func(text []byte) error { c.GraphQL = string(text); return nil }},
	} {
		text, err := exec.Command(program, part.args...).Output()
		if err == nil {
			err = part.set(text)
		}
		if err != nil {
			return contract{}, fmt.Errorf("%v: %w", part.args, err)
		}
	}
	commands, err := os.ReadFile("../cmd/testdata/commands.txt")
	c.Commands = string(commands)
	return c, err
}

// withoutTexts returns an OpenAPI document without its examples and texts for people, which may
// change.
func withoutTexts(document []byte) (json.RawMessage, error) {
	var all any
	if err := json.Unmarshal(document, &all); err != nil {
		return nil, err
	}
	strip(all, false)
	return json.Marshal(all)
}

// textKeywords are the keywords of OpenAPI that have examples and texts for people.
var textKeywords = []string{"example", "examples", "description", "summary"}

// strip removes the text keywords from a part of a document; the names of a map of schemas are
// not keywords.
func strip(part any, named bool) {
	switch part := part.(type) {
	case map[string]any:
		for name, child := range part {
			if !named && slices.Contains(textKeywords, name) {
				delete(part, name)
				continue
			}
			strip(child, !named && (name == "properties" || name == "schemas"))
		}
	case []any:
		for _, child := range part {
			strip(child, false)
		}
	}
}

func (c contract) write(file string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, packed.Bytes(), 0o644)
}

// readRecords returns the recorded releases of a folder, the oldest first.
func readRecords(folder string) ([]contract, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json.gz"))
	if err != nil {
		return nil, err
	}
	var all []contract
	for _, file := range files {
		packed, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer packed.Close()
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		var c contract
		if err := json.NewDecoder(unpacked).Decode(&c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b contract) int { return semver.Compare("v"+a.Version, "v"+b.Version) })
	return all, nil
}
