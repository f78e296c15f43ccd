package intake

import (
	"regexp"
	"strconv"
	"strings"

	"storefront/shop/input"
)

// quantityPattern matches "2 pcs", "2x", "x 2", "২টি"; digits are folded to ASCII before.
var quantityPattern = regexp.MustCompile(`(?i)(?:^|[\s(,])(?:(\d{1,4})\s*` +
	`(?:pcs|pc|pieces?|pis|ta|ti|x|×|টি|টা|পিস)|[x×]\s*(\d{1,4}))(?:$|[\s),.;])`)

// findQuantity returns a quantity in a line, and the line without it. With bare, a number alone
// counts.
func (p Parser) findQuantity(line string, bare bool) (quantity int, rest string, ok bool) {
	if bare {
		if n, err := strconv.Atoi(line); err == nil && 1 <= n && n <= p.MaxQuantity {
			return n, "", true
		}
	}
	at := quantityPattern.FindStringSubmatchIndex(line)
	if at == nil {
		return 0, line, false
	}
	digits := ""
	for _, group := range []int{2, 4} {
		if at[group] >= 0 {
			digits = line[at[group]:at[group+1]]
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 {
		return 0, line, false
	}
	return n, tidyLine(line[:at[0]] + " " + line[at[1]:]), true
}

// goodsPattern matches one of several goods in a line: "1 mango pickle".
var goodsPattern = regexp.MustCompile(`^(\d{1,2})\s+(\pL.*)$`)

// findGoods returns the goods of a line that lists several by bare numbers, such as "1 mango
// pickle, 2 honey". It returns nil if one of them may be a place, as in "12 Green Road, 5 Mirpur".
func (p Parser) findGoods(line string) []Quantity {
	var goods []Quantity
	for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(",;+&", r) }) {
		part = requestPattern.ReplaceAllString(tidyLine(part), "")
		match := goodsPattern.FindStringSubmatch(part)
		if match == nil || quantityPattern.MatchString(part) || hasPlace(strings.Fields(match[2])) {
			return nil
		}
		n, err := strconv.Atoi(match[1])
		if err != nil || n < 1 || n > p.MaxQuantity {
			return nil
		}
		goods = append(goods, Quantity{n, input.Cut(match[2], p.MaxText)})
	}
	if len(goods) < 2 { // one alone may be a place: "12 Shantinagar"
		return nil
	}
	return goods
}

// articlePattern matches an article after a word: "nakshi katha ta".
var articlePattern = regexp.MustCompile(` (?:ta|ti|টা|টি)$`)
