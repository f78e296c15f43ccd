// Package page defines one page of a list: the request, its checked form and the result.
package page
