// Package district recognizes the districts of Bangladesh in the cities that people type: in Bangla
// or English, by their present or earlier names, with postcodes and words such as "City" or
// "Sadar".
//
// It does not depend on delivery charges.
package district
