package intake

import (
	"slices"
	"strings"

	"storefront/shop/district"
	"storefront/shop/input"
)

// setCity sets the district: the labelled one, the last one outside the names of streets, or
// the only one that has a part of the name that is mentioned.
func (r *reader) setCity(spans []span) {
	labelled, last, at := "", "", span{}
	weak := ""
	var areas []string
	for _, s := range spans {
		for i := s.first; i <= s.last; i++ {
			p := r.places[i]
			switch {
			case p.end == 0:
			case p.areas != nil:
				areas = narrow(areas, p.areas)
			case r.tokens[i].role == cityRole:
				labelled, at = p.city, span{i, p.end - 1}
			case p.end < len(r.tokens) && r.tokens[p.end].gap <= space && r.is("not city", r.tokens[p.end].key):
			case r.tokens[i].role == thanaRole:
				weak = p.city
			case labelled == "":
				last, at = p.city, span{i, p.end - 1}
			}
		}
	}
	switch {
	case labelled != "":
		r.City = labelled
	case last != "":
		r.City = last
	case len(areas) == 1:
		r.City = areas[0]
		return
	case weak != "":
		r.City = weak
		return
	default:
		return
	}
	r.set(FieldCity, at.first, at.last)
}

// narrow returns the districts of both lists, or all of them if they have none in common. A nil
// list is not known yet.
func narrow(a, b []string) []string {
	isOther := func(district string) bool { return a != nil && !slices.Contains(a, district) }
	if found := slices.DeleteFunc(slices.Clone(b), isOther); len(found) > 0 {
		return found
	}
	return append(slices.Clone(a), b...)
}

// setArea sets the part of the district: the labelled one, the sadar of a district, or the last
// place that is known in it.
func (r *reader) setArea(spans []span) {
	best, isSadar := span{-1, -1}, false
	for _, s := range spans {
		for i := s.first; i <= s.last; i++ {
			switch p := r.places[i]; {
			case r.tokens[i].role == thanaRole:
				r.setAreaTo(i, r.thanaEnd(i, s.last))
				return
			case p.end > 0 && p.end <= s.last && p.city != "" && r.is("sadar", r.tokens[p.end].key) && r.tokens[p.end].gap <= space:
				best, isSadar = span{i, p.end}, true
			case !isSadar && r.isAreaOf(i, p):
				best = span{i, r.withNumber(p.end-1, s.last)}
			}
		}
	}
	if best.first < 0 {
		return
	}
	r.setAreaTo(best.first, best.last)
	if p := r.places[best.first]; p.stem != "" && p.end > best.last {
		ending := strings.TrimPrefix(r.tokens[best.first].key, p.stem)
		r.Area = strings.TrimSuffix(r.Area, ending)
	}
}

// thanaEnd returns the last token of a labelled police station or upazila. Another place behind it
// is not part of its name: "thana Galachipa Galachipa bazar".
func (r *reader) thanaEnd(first, end int) int {
	last := first
	for last < end && r.tokens[last+1].role == thanaRole {
		last++
	}
	if next := r.places[first].end; next > first && next <= last && r.isPlace(next) {
		return next - 1
	}
	return last
}

// isAreaOf reports whether a place is a part of the district of the address. Some have the name of
// another district: Sherpur in Bogura.
func (r *reader) isAreaOf(i int, p place) bool {
	areas := p.areas
	if p.city != "" && p.city != r.City && !(p.end < len(r.tokens) && r.is("not city", r.tokens[p.end].key)) {
		areas = district.FindArea(r.text[r.tokens[i].start:r.tokens[p.end-1].end])
	}
	return areas != nil && (r.City == "" || slices.Contains(areas, r.City))
}

// withNumber returns the last token of a place's name with the number behind it: Mirpur 10.
func (r *reader) withNumber(last, end int) int {
	if last < end && r.tokens[last+1].number >= 0 && r.tokens[last+1].number < 100 &&
		r.tokens[last+1].gap <= space {
		if last+2 <= end && r.tokens[last+2].gap <= soft {
			return last
		}
		return last + 1
	}
	return last
}

func (r *reader) setAreaTo(first, last int) {
	r.Area = input.Cut(r.written(first, last), r.MaxText)
	r.set(FieldArea, first, last)
}
