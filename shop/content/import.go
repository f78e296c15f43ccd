package content

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// RedirectImport counts the redirects of an imported file.
type RedirectImport struct {
	DryRun    bool `json:"dryRun"`
	Created   int  `json:"created"`
	Changed   int  `json:"changed"`
	Unchanged int  `json:"unchanged"`
}

// maxProblems is the maximum number of problems in the error of a file.
const maxProblems = 100

// errDryRun ends the transaction of a dry run.
var errDryRun = errors.New("dry run")

// ImportRedirects saves the redirects of a CSV file with the columns from and to, or Redirect from
// and Redirect to, as Shopify exports them. It saves all or, if one has a problem, none: the error
// then has the problems by line. Codes: validation_failed, state_conflict, unauthenticated,
// forbidden.
func (c *Content) ImportRedirects(ctx context.Context, caller access.Caller, file io.Reader, dryRun bool) (*RedirectImport, error) {
	domains, err := c.domains(ctx)
	if err != nil {
		return nil, err
	}
	paths, all, err := readRedirects(file, domains)
	if err != nil {
		return nil, err
	}
	result := &RedirectImport{}
	_, err = access.WriteAlone(ctx, c.data, caller, access.ToImportRedirects, func(tx *db.Tx, who access.Staff) (*RedirectImport, error) {
		saving := &saving{tx: tx}
		for _, r := range all {
			if err := saving.save(r); err != nil {
				return nil, err
			}
		}
		if err := saving.finish(paths, all); err != nil {
			return nil, err
		}
		*result = RedirectImport{DryRun: dryRun, Created: saving.created, Changed: saving.changed, Unchanged: saving.present}
		if dryRun {
			return nil, errDryRun
		}
		return result, who.Audit(tx, access.Subject{Kind: access.SubjectRedirect},
			slices.Concat(access.Changed("created", 0, result.Created), access.Changed("changed", 0, result.Changed))...)
	})
	if err != nil && !errors.Is(err, errDryRun) {
		return nil, err
	}
	return result, nil
}

// readRedirects returns the redirects of a file for a shop with these domains, with the path of
// each one's fields in an error.
func readRedirects(file io.Reader, domains []string) (paths []string, all []Redirect, err error) {
	invalid := func(line int, format string, args ...any) error {
		return (fault.Invalid{{Field: fmt.Sprintf("line[%d]", line), Code: fault.CodeInvalidValue, Message: fmt.Sprintf(format, args...)}}).Err()
	}
	reader, err := input.NewCSVReader(file)
	if err != nil {
		return nil, nil, invalid(1, "%v", err)
	}
	header, err := reader.Read()
	if err != nil {
		return nil, nil, invalid(1, "The first line must be a header with the columns from and to.")
	}
	from, to := column(header, "from"), column(header, "to")
	if from < 0 || to < 0 {
		return nil, nil, invalid(1, "The first line must have the columns from and to, or Redirect from and Redirect to.")
	}
	var bad fault.Invalid
	seen := map[string]int{}
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return paths, all, bad.Err()
		}
		if wide, ok := errors.AsType[*input.WideRowError](err); ok {
			return nil, nil, invalid(wide.Line, "%v", wide)
		}
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, nil, invalid(parse.Line, "%v", parse.Err)
		}
		if err != nil {
			return nil, nil, err
		}
		line, _ := reader.FieldPos(0)
		if len(row) <= max(from, to) {
			return nil, nil, invalid(line, "The line must have a cell in each of the columns from and to.")
		}
		path := fmt.Sprintf("line[%d].", line)
		r := Redirect{From: row[from], To: row[to]}.check(path, domains, &bad)
		if earlier, ok := seen[r.From]; ok {
			bad.Add(path+"from", fault.CodeInvalidValue, "Line %d redirects this address too.", earlier)
		}
		seen[r.From] = line
		if len(all) == MaxRedirects {
			return nil, nil, invalid(line, "The line is one too many: a shop has at most %d redirects.", MaxRedirects)
		}
		if len(bad) >= maxProblems {
			return nil, nil, bad[:maxProblems].Err()
		}
		paths, all = append(paths, path), append(all, r)
	}
}

// column returns the index of a column by its name, which Shopify writes after "Redirect".
func column(header []string, name string) int {
	return slices.IndexFunc(header, func(cell string) bool {
		cell = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(cell, "\ufeff")))
		return strings.TrimSpace(strings.TrimPrefix(cell, "redirect")) == name
	})
}
