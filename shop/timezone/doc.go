// Package timezone finds the time zones of shops: by their names in the IANA database, which is
// part of the program, and by country.
package timezone
