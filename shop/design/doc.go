// Package design owns the designs of a shop's site: the document that a merchant edits, its drafts
// and versions, and the colours that follow from one.
package design
