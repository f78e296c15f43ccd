// Package input cleans and checks what people type: texts, names, phone numbers, URLs.
//
// A check adds to a [fault.Invalid] under the input's field name, so that one answer reports
// everything that is wrong.
package input
