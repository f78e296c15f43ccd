// Package review owns what buyers write about the products of their orders, and its moderation.
//
// Only the buyer of a delivered order can review its products, each once. A review is public once a
// staff member has published it, and so is its photo. The package must not know how an order proves
// its buyer: it gets the order through [Config.Order].
package review
