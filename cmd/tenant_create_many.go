package cmd

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"storefront/shop"
	"storefront/shop/input"
	"storefront/tenants"
)

// Columns of a file of new shops, beside the settings.
const (
	columnUID       = "uid"
	columnOwner     = "owner"
	columnOwnerName = "ownerName"
)

// shopCreation is the input of tenant create for many shops.
type shopCreation struct {
	file         string            // CSV
	defaults     map[string]string // of columns
	plan         string            // name of the plan; "" means none
	template     string            // UID of the template; "" means none
	catalogue    bool              // copy the template's catalogue
	skipExisting bool
	dryRun       bool
	links        string // CSV file for the links of owners; "" means the output
}

// newShopRow is a row of a file of new shops.
type newShopRow struct {
	line int
	uid  string
	shop.NewShop
}

// creationReport is the result of creating many shops.
type creationReport struct {
	DryRun   bool         `json:"dryRun"`
	Created  []string     `json:"created"`
	Existing []string     `json:"existing"` // skipped
	Failed   []failedShop `json:"failed"`
	Owners   []ownerLink  `json:"owners"` // without --links
}

// ownerLink is an owner of a new shop with the link to sign in.
type ownerLink struct {
	UID       string    `json:"uid"`
	Name      string    `json:"name"`
	User      string    `json:"user"`
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func (l *ownerLink) record() []string {
	return []string{l.UID, l.Name, l.User, l.URL, l.ExpiresAt.Format(time.RFC3339)}
}

var ownerLinkColumns = []string{"uid", "name", "user", "url", "expiresAt"}

// createShops creates the shops of a CSV file. Every row is checked before the first shop is
// created.
func (a *app) createShops(ctx context.Context, in shopCreation) error {
	rows, err := readNewShops(in.file, in.defaults)
	if err != nil {
		return err
	}
	return a.withNewTenants(ctx, func(t *tenants.Tenants) (err error) {
		report := creationReport{
			DryRun: in.dryRun, Created: []string{}, Existing: []string{}, Failed: []failedShop{}, Owners: []ownerLink{},
		}
		if in.skipExisting {
			if rows, report.Existing, err = skipExisting(ctx, t, rows); err != nil {
				return err
			}
		}
		if err := in.useTemplate(ctx, t, rows); err != nil {
			return err
		}
		if err := a.checkNewShops(ctx, t, rows); err != nil {
			return err
		}
		if in.dryRun {
			for _, row := range rows {
				report.Created = append(report.Created, row.uid)
			}
		} else if err := a.createRows(ctx, t, rows, in.links, &report); err != nil {
			return err
		}
		err = a.print(report, func(w *table) { printCreation(w, &report, in.links) })
		if n := len(report.Failed); n > 0 {
			err = errors.Join(err, fmt.Errorf("shops not created: %d of %d", n, len(rows)))
		}
		return err
	})
}

// useTemplate reads the template and the plan, once for all rows.
func (in *shopCreation) useTemplate(ctx context.Context, t *tenants.Tenants, rows []newShopRow) error {
	if in.plan != "" {
		setting, err := t.PlanSetting(ctx, in.plan)
		if err != nil {
			return fmt.Errorf("--plan %s: %w", printable(in.plan), err)
		}
		for i := range rows {
			rows[i].Settings["plan"] = setting
		}
	}
	if in.template == "" {
		return nil
	}
	template, err := t.ReadTemplate(ctx, in.template, in.catalogue)
	if err != nil {
		return fmt.Errorf("--like %s: %w", printable(in.template), err)
	}
	for i := range rows {
		rows[i].Template = template
	}
	return nil
}

// skipExisting returns the rows of new shops, and the UIDs of the existing shops.
func skipExisting(ctx context.Context, t *tenants.Tenants, rows []newShopRow) (left []newShopRow, existing []string, err error) {
	uids, err := t.UIDs(ctx)
	if err != nil {
		return nil, nil, err
	}
	existing = []string{}
	for _, row := range rows {
		if _, found := slices.BinarySearch(uids, row.uid); found {
			existing = append(existing, row.uid)
		} else {
			left = append(left, row)
		}
	}
	return left, existing, nil
}

// createRows creates the shops of rows. A link is written when its shop exists, so that an
// interruption loses at most one.
func (a *app) createRows(ctx context.Context, t *tenants.Tenants, rows []newShopRow, links string, report *creationReport) (err error) {
	record := func(link ownerLink) error {
		report.Owners = append(report.Owners, link)
		return nil
	}
	if links != "" {
		file, err := os.OpenFile(links, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return withHint(fmt.Errorf("--links: %w", err), "choose a new file: links of an earlier run are not overwritten")
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		out := csv.NewWriter(file)
		write := func(fields []string) error {
			if err := out.Write(fields); err != nil {
				return err
			}
			out.Flush()
			return out.Error()
		}
		if err := write(ownerLinkColumns); err != nil {
			return err
		}
		record = func(link ownerLink) error { return write(link.record()) }
	}
	bar := a.progress("creating")
	defer bar.end()
	for i := range rows {
		row := &rows[i]
		created, err := t.CreateNew(ctx, a.caller(), row.uid, row.NewShop)
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			report.Failed = append(report.Failed, failedShop{row.uid, message(err)})
		default:
			report.Created = append(report.Created, row.uid)
		}
		if err == nil && created.Owner != nil {
			link := ownerLink{
				row.uid, created.Owner.Name, memberUser(created.Owner), a.newMemberLink(row.uid, created.Owner, created.Link).Link.URL,
				created.Link.ExpiresAt,
			}
			if err := record(link); err != nil {
				return withHint(fmt.Errorf("save the link of %s: %w", row.uid, err), "the shop exists: create another link with %s",
					a.command("staff reset "+row.uid+" "+link.User))
			}
		}
		bar.set(i+1, len(rows))
	}
	return nil
}

func printCreation(w *table, r *creationReport, links string) {
	if r.DryRun {
		fmt.Fprintf(w, "Nothing was created. Shops to create: %d%s.\n", len(r.Created), firstNames(r.Created))
	} else {
		fmt.Fprintf(w, "Shops created: %d.\n", len(r.Created))
	}
	if n := len(r.Existing); n > 0 {
		fmt.Fprintf(w, "Shops that exist already, unchanged: %d%s.\n", n, firstNames(r.Existing))
	}
	printFailedShops(w, r.Failed)
	if links != "" && !r.DryRun {
		fmt.Fprintf(w, "The owners' links are in %s. Each is valid once and sets the owner's password: send it to the owner alone.\n", links)
	}
	if len(r.Owners) > 0 {
		fmt.Fprint(w, "\nEach link is valid once and sets the owner's password: send it to the owner alone.\n\n")
		heading(w, "UID", "OWNER", "LINK")
		for _, o := range r.Owners {
			row(w, o.UID, o.User, o.URL)
		}
	}
}

// checkNewShops returns an error that lists the first rows that cannot be created.
func (a *app) checkNewShops(ctx context.Context, t *tenants.Tenants, rows []newShopRow) error {
	if err := t.RefreshDomains(ctx); err != nil {
		return err
	}
	var bad []string
	lines, domains := map[string]int{}, map[string]int{}
	for _, row := range rows {
		settings, err := t.CheckNew(ctx, a.caller(), row.uid, row.NewShop)
		if first, twice := lines[row.uid]; err == nil && twice {
			err = fmt.Errorf("%s is in line %d already", row.uid, first)
		}
		if lines[row.uid] == 0 {
			lines[row.uid] = row.line
		}
		if err == nil {
			err = claimInFile(domains, settings.Domains, row.line)
		}
		if err != nil {
			bad = append(bad, fmt.Sprintf("line %d: %s", row.line, printable(message(err))))
		}
	}
	if bad == nil {
		return nil
	}
	return withHint(fmt.Errorf("no shop was created; invalid rows: %d of %d:\n%s", len(bad), len(rows), firstProblems(bad)),
		"correct the file and run the command again")
}

// claimInFile returns an error if a domain is in an earlier line.
func claimInFile(lines map[string]int, domains []string, line int) error {
	for _, name := range domains {
		if first, twice := lines[name]; twice {
			return fmt.Errorf("the domain %s is in line %d already", name, first)
		}
		lines[name] = line
	}
	return nil
}

// readNewShops reads a file of new shops. Its columns are listed in the help of tenant create; an
// empty field means the default.
func readNewShops(path string, defaults map[string]string) ([]newShopRow, error) {
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
	header, err := readShopColumns(reader, path)
	if err != nil {
		return nil, err
	}
	var rows []newShopRow
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
func readShopColumns(reader *csv.Reader, path string) ([]string, error) {
	header, err := reader.Read()
	if err != nil {
		return nil, fmt.Errorf("read %s: it must be a CSV file with a header: %w", path, err)
	}
	others := []string{columnUID, columnOwner, columnOwnerName}
	settings := newShopSettings()
	for i, column := range header {
		if slices.Contains(header[:i], column) {
			return nil, fmt.Errorf("%s has the column %s twice", path, printable(column))
		}
		if !slices.Contains(others, column) && !slices.Contains(settings, column) {
			return nil, withHint(fmt.Errorf("unknown column %s in %s: must be uid, owner, ownerName or a setting", printable(column), path),
				"%s lists the settings", "storefront tenant set --help")
		}
	}
	if !slices.Contains(header, columnUID) || !slices.Contains(header, "name") {
		return nil, fmt.Errorf("%s must have the columns uid and name", path)
	}
	return header, nil
}

// newShopSettings returns the settings that a new shop can have. The others are states that the
// operator sets with commands.
func newShopSettings() []string {
	return slices.DeleteFunc(settingNames(), func(name string) bool {
		return name == "suspended" || name == "suspension" || name == "confirmedDomains"
	})
}

// parseNewShop parses a row of a file of new shops.
func parseNewShop(header, record []string, defaults map[string]string) (row newShopRow, err error) {
	values, texts := map[string]any{}, map[string]string{}
	for name, value := range defaults {
		values[name] = value
	}
	for i, column := range header {
		switch value := strings.TrimSpace(record[i]); {
		case column == columnUID:
			row.uid = value
		case column == columnOwner, column == columnOwnerName:
			texts[column] = value
		case column == "domains" && value != "" && !strings.HasPrefix(value, "["):
			values[column] = strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
		case value != "":
			values[column] = settingValue(column, value)
		}
	}
	if texts[columnOwner] != "" {
		row.Owner = newOwner(texts[columnOwner], texts[columnOwnerName])
	}
	row.Settings, err = rawSettings(values)
	return row, err
}
