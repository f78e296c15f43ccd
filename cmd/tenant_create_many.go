package cmd

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"storefront/shop/input"
	"storefront/tenants"
)

// newShop is a row of a file of new shops.
type newShop struct {
	line     int
	uid      string
	settings map[string]json.RawMessage
}

// creationReport is the result of creating many shops.
type creationReport struct {
	Created []string     `json:"created"`
	Failed  []failedShop `json:"failed"`
}

// createShops creates the shops of a CSV file. Every row is checked before the first shop is
// created.
func (a *app) createShops(ctx context.Context, path string, defaults map[string]string) error {
	rows, err := readNewShops(path, defaults)
	if err != nil {
		return err
	}
	return a.withNewTenants(ctx, func(t *tenants.Tenants) error {
		if err := checkNewShops(ctx, t, rows); err != nil {
			return err
		}
		report := creationReport{Created: []string{}, Failed: []failedShop{}}
		bar := a.progress("creating")
		defer bar.end()
		for i, row := range rows {
			_, err := t.Create(ctx, row.uid, row.settings)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				report.Failed = append(report.Failed, failedShop{row.uid, message(err)})
			default:
				report.Created = append(report.Created, row.uid)
			}
			bar.set(i+1, len(rows))
		}
		bar.end()
		err := a.print(report, func(w *table) {
			fmt.Fprintf(w, "Shops created: %d.\n", len(report.Created))
			for _, f := range report.Failed {
				fmt.Fprintf(w, "%s: %s\n", f.UID, printable(f.Error))
			}
		})
		if n := len(report.Failed); n > 0 {
			err = errors.Join(err, fmt.Errorf("shops not created: %d of %d", n, len(rows)))
		}
		return err
	})
}

// checkNewShops returns an error that lists every row that cannot be created.
func checkNewShops(ctx context.Context, t *tenants.Tenants, rows []newShop) error {
	var bad []string
	lines := map[string]int{}
	for _, row := range rows {
		err := t.CheckNew(ctx, row.uid, row.settings)
		if first, twice := lines[row.uid]; err == nil && twice {
			err = fmt.Errorf("%s is in line %d already", row.uid, first)
		}
		if lines[row.uid] == 0 {
			lines[row.uid] = row.line
		}
		if err != nil {
			bad = append(bad, fmt.Sprintf("line %d: %s", row.line, printable(message(err))))
		}
	}
	if bad == nil {
		return nil
	}
	return withHint(fmt.Errorf("no shop was created; invalid rows: %d of %d:\n%s", len(bad), len(rows), strings.Join(bad, "\n")),
		"correct the file and run the command again")
}

// readNewShops reads a file of new shops. Columns are settings of tenant create; an empty field
// means the default.
func readNewShops(path string, defaults map[string]string) ([]newShop, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader, err := input.NewCSVReader(file)
	if err != nil {
		return nil, err
	}
	reader.FieldsPerRecord, reader.TrimLeadingSpace = 0, true
	header, err := readShopColumns(reader, path, defaults)
	if err != nil {
		return nil, err
	}
	var rows []newShop
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		row, err := parseNewShop(header, record, defaults)
		if err != nil {
			return nil, err
		}
		row.line, _ = reader.FieldPos(0)
		rows = append(rows, row)
	}
}

// readShopColumns reads the header of a file of new shops.
func readShopColumns(reader *csv.Reader, path string, defaults map[string]string) ([]string, error) {
	header, err := reader.Read()
	if err != nil {
		return nil, fmt.Errorf("read %s: it must be a CSV file with a header: %w", path, err)
	}
	for _, column := range header {
		if _, known := defaults[column]; column != "uid" && !known {
			return nil, fmt.Errorf("unknown column %s in %s: must be uid, name, currency, country or locale", printable(column), path)
		}
	}
	if !slices.Contains(header, "uid") || !slices.Contains(header, "name") {
		return nil, fmt.Errorf("%s must have the columns uid and name", path)
	}
	return header, nil
}

// parseNewShop parses a row of a file of new shops.
func parseNewShop(header, record []string, defaults map[string]string) (row newShop, err error) {
	values := map[string]any{}
	for name, value := range defaults {
		values[name] = value
	}
	for i, column := range header {
		switch value := strings.TrimSpace(record[i]); {
		case column == "uid":
			row.uid = value
		case value != "":
			values[column] = value
		}
	}
	row.settings, err = rawSettings(values)
	return row, err
}
