// Package print renders the documents that staff print for orders, such as labels and invoices, as
// HTML pages without scripts. The browser shapes Bangla and prints them; each size of paper has a
// style sheet of its own.
//
// It owns their layout, their words and the example order. It must not depend on requests or
// callers.
package print
