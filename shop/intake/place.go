package intake

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/district"
)

// addressWords begin an address.
var addressWords = func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(norm.NFC.String(`house home holding basa bari road rd flat apt apartment floor block sector village
		vill gram para ward lane plot building tower po ps thana upazila zila district union h# vill: house: road: dist zilla jela
		বাড়ি বাসা রোড ফ্ল্যাট ফ্লাট ব্লক সেক্টর গ্রাম পোস্ট ডাকঘর থানা উপজেলা জেলা ইউনিয়ন ওয়ার্ড লেন গলি প্লট তলা হাউজ হাউস বিল্ডিং টাওয়ার`)) {
		all[word] = true
	}
	return all
}()

// beginsAddress reports whether a word begins an address rather than continuing a name.
func beginsAddress(word string) bool {
	return addressWords[strings.ToLower(strings.Trim(word, ".,-#:"))] ||
		strings.ContainsFunc(word, func(r rune) bool { return isDigit(r) || r == '#' })
}

// hasPlace reports whether words name a place.
func hasPlace(words []string) bool {
	for _, word := range words {
		if _, ok := district.Find(word); ok || beginsAddress(word) {
			return true
		}
	}
	return false
}

// findDistrict returns the last district that the words of a text name, of one word or two.
func findDistrict(text string) (name string, ok bool) {
	words := strings.Fields(text)
	for i := len(words) - 1; i >= 0; i-- {
		word := strings.TrimRight(words[i], ".,-0123456789")
		if i > 0 {
			if name, ok = district.Find(words[i-1] + " " + word); ok {
				return name, true
			}
		}
		if name, ok = district.Find(word); ok {
			return name, true
		}
	}
	return "", false
}

// endingPostcode matches a postcode at the end of an address, as in "Dhaka-1216".
var endingPostcode = regexp.MustCompile(`[ ,-]*\b(\d{4})$`)

// cutDistrict returns an address without the district at its end, and without a postcode after it.
// line is "" if it ends otherwise: "Feni Sadar" is a part of a district, and the word after
// "Thana:" is needed.
func cutDistrict(address, name string) (line, postcode string) {
	if at := endingPostcode.FindStringSubmatchIndex(address); at != nil {
		address, postcode = address[:at[0]], address[at[2]:at[3]]
	}
	words := strings.Fields(address)
	for n := 1; n <= 2 && n < len(words); n++ { // of one word or two, after others
		before, last := words[len(words)-n-1], words[len(words)-n:]
		if found, ok := district.Find(strings.Join(last, " ")); !ok || found != name ||
			n == 2 && hasDistrict(last) {
			continue
		}
		if word := strings.Trim(strings.ReplaceAll(strings.ToLower(before), ".", ""), ":-"); addressWords[word] ||
			strings.HasSuffix(before, ":") {
			return "", ""
		}
		return tidyLine(strings.Join(words[:len(words)-n], " ")), postcode
	}
	return "", ""
}

// hasDistrict reports whether one of the words is the name of a district.
func hasDistrict(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		_, ok := district.Find(word)
		return ok
	})
}
