// Package orderpage is the page of an order for buyers who have its link from a message or a label.
// It shows the progress of the order, in English or Bangla, and lets them pay. It has no scripts.
//
// It owns the page, its words, its cookie and its form. It must not depend on routes, rate limits
// or the search for a shop.
package orderpage
