package timezone

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for machines and containers without the database
)

//go:embed countries.txt
var countriesText string

// loadCountries returns the zones of the countries that have one, by ISO 3166 code.
var loadCountries = sync.OnceValue(func() map[string]string {
	zones := map[string]string{}
	for line := range strings.Lines(countriesText) {
		if country, zone, ok := strings.Cut(strings.TrimSpace(line), " "); ok && len(country) == 2 {
			zones[country] = zone
		}
	}
	return zones
})

// Of returns the name of a country's only time zone, or UTC if it has several or is unknown.
func Of(country string) string {
	if zone, ok := loadCountries()[country]; ok {
		return zone
	}
	return time.UTC.String()
}

// Find returns the time zone with a name such as Asia/Dhaka or UTC.
func Find(name string) (*time.Location, error) {
	if name == "" || name == time.Local.String() { // they depend on the machine, or mean UTC by accident
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	return time.LoadLocation(name)
}
