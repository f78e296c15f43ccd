// Package orderpage is the page of an order for buyers who have its link from a message or a label.
// It shows how far the order has come, in English or Bangla, and lets them pay. It has no scripts.
//
// It owns the page, its words, its cookie and its form. It must not know routes, rate limits or how
// a shop is found.
package orderpage
