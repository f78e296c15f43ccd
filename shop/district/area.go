package district

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed area.txt
var areaText string

// loadAreas returns the districts of each area by the keys of its spellings.
var loadAreas = sync.OnceValue(func() map[string][]string {
	byKey := map[string][]string{}
	for paragraph := range strings.SplitSeq(areaText, "\n\n") {
		of, areas, found := strings.Cut(strings.Join(strings.Fields(paragraph), " "), ": ")
		if !found || strings.HasPrefix(of, "#") {
			continue
		}
		for spellings := range strings.SplitSeq(areas, ",") {
			for name := range strings.SplitSeq(spellings, "|") {
				if key := areaKey(name); !slices.Contains(byKey[key], of) {
					byKey[key] = append(byKey[key], of)
				}
			}
		}
	}
	return byKey
})

// FindArea returns the districts that have a part of this name, such as an upazila, a police
// station or a quarter: "Savar", "মিরপুর". The result must not be modified.
func FindArea(name string) (districts []string) {
	if key := areaKey(name); key != "" {
		return loadAreas()[key]
	}
	return nil
}

// areaKey is Key with one spelling for the vowels and consonants that people mix up, in Latin
// letters: Basabo and Bashabo, Sreepur and Sripur.
func areaKey(name string) string {
	return squeezeArea(Key(name))
}

func squeezeArea(key string) string {
	return strings.Map(dropRepeated(), areaSpellings.Replace(key))
}

// dropRepeated returns a mapping that drops a Latin letter after the same one.
func dropRepeated() func(r rune) rune {
	var last rune
	return func(r rune) rune {
		if r == last && 'a' <= r && r <= 'z' {
			return -1
		}
		last = r
		return r
	}
}

var areaSpellings = strings.NewReplacer(
	"chh", "ch", "sh", "s", "ph", "f", "ee", "i", "oo", "u", "ou", "u", "aa", "a", "o", "a",
	"y", "i", "v", "b", "w", "b", "z", "j", "য়", "য", "ড়", "র",
)
