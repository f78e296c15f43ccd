// Package input cleans and checks texts entered by people: lines, notes, names, phone numbers,
// e-mail addresses and URLs.
//
// A Check function adds to a [fault.Invalid] under the input's field name, so that one error
// reports every invalid input.
package input
