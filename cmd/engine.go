package cmd

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"

	"storefront/tenants"
)

// engineFlag is the flag with the address of a database for shops.
const engineFlag = "engine"

const engineUsage = "PostgreSQL database for shops, as postgres://USER@HOST/DATABASE, or @FILE with the address"

const placeUsage = "where the data is stored: files or postgres (default postgres with --engine, files without it)"

// engineAddress returns the address of the database, "" if there is none.
func (a *app) engineAddress() (string, error) {
	address := strings.TrimSpace(a.engine)
	if path, isFile := strings.CutPrefix(address, "@"); isFile {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("read the address of the database: %w", err)
		}
		return strings.TrimSpace(string(text)), nil
	}
	if fromVariable, _ := a.LookupEnv(variable(engineFlag)); a.engine != fromVariable && hasPassword(address) {
		return "", withHint(errors.New("--engine must not contain a password, since other users of the machine can read command lines"),
			"set %s, or write the address to a file and set --engine @FILE", variable(engineFlag))
	}
	return address, nil
}

var passwordPair = regexp.MustCompile(`(?i)(^|\s)password\s*=`)

// hasPassword reports whether the address of a database contains a password.
func hasPassword(address string) bool {
	if !strings.Contains(address, "://") {
		return passwordPair.MatchString(address)
	}
	u, err := url.Parse(address)
	if err != nil {
		return strings.Contains(address, "@")
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password")
}

// parsePlace returns the place of new shops in --in, "" for the default.
func (a *app) parsePlace(text string) (tenants.Place, error) {
	switch p := tenants.Place(text); {
	case p == tenants.InPostgres && a.engine == "":
		return "", withHint(errors.New("--in postgres needs the address of a database"), "set --engine or %s", variable(engineFlag))
	case p == "" || p == tenants.InFiles || p == tenants.InPostgres:
		return p, nil
	}
	return "", fmt.Errorf("--in must be files or postgres, not %q", text)
}
