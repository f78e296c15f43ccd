package design

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/shop/fault"
)

// kinds are the types of the settings of each kind of section.
var kinds = map[string]reflect.Type{}

// define adds a kind of section with settings of type T. Their fields have the types of this
// package, numbers, strings, or lists of these. Tags limit them: max is the greatest number, or the
// greatest number of characters or entries, min the least number, enum the texts that are allowed,
// the default first, and ref the records that a text names.
func define[T any](name string) struct{} {
	kinds[name] = reflect.TypeFor[T]()
	return struct{}{}
}

// Kind is a kind of section.
type Kind struct {
	Name    string  `json:"name"`
	Landing bool    `json:"landing" doc:"Only landing pages have it"`
	Fields  []Field `json:"fields" nullable:"false" doc:"Its settings"`
}

// ofLanding are the kinds that only landing pages have: the others have no product to order.
var ofLanding = []string{"orderForm", "productFacts"}

// Field is a setting of a kind of section.
type Field struct {
	Name   string   `json:"name"`
	Type   string   `json:"type" doc:"text (in both languages), word, number, switch, choice, link, picture, or list"`
	Min    int      `json:"min,omitempty" doc:"The least number"`
	Max    int      `json:"max,omitempty" doc:"The greatest number, or number of characters or entries"`
	Values []string `json:"values,omitempty" nullable:"false" doc:"The choices, the default first"`
	Ref    string   `json:"ref,omitempty" doc:"The records that a word names: product, collection or coupon"`
	Fields []Field  `json:"fields,omitempty" nullable:"false" doc:"The settings of each entry of a list; empty if an entry is a word or a picture"`
	Item   string   `json:"item,omitempty" doc:"Type of the entries of a list"`
}

// Kinds returns the kinds of sections by name.
func Kinds() []Kind {
	all := make([]Kind, 0, len(kinds))
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		all = append(all, Kind{name, slices.Contains(ofLanding, name), fieldsOf(kinds[name])})
	}
	return all
}

var (
	textType    = reflect.TypeFor[Text]()
	linkType    = reflect.TypeFor[Link]()
	pictureType = reflect.TypeFor[*Picture]()
)

func fieldsOf(settings reflect.Type) []Field {
	fields := []Field{}
	for f := range settings.Fields() {
		fields = append(fields, fieldOf(jsonName(f), f.Type, f.Tag))
	}
	return fields
}

func fieldOf(name string, of reflect.Type, tag reflect.StructTag) Field {
	field := Field{Name: name, Type: typeName(of, tag), Min: number(tag, "min"), Max: number(tag, "max"), Ref: tag.Get("ref")}
	if values, ok := tag.Lookup("enum"); ok {
		field.Values = strings.Split(values, ",")
	}
	if of.Kind() == reflect.Slice {
		if field.Item = typeName(of.Elem(), ""); field.Item == "group" {
			field.Fields = fieldsOf(of.Elem())
		}
	}
	return field
}

// typeName returns the name of a type for editors.
func typeName(of reflect.Type, tag reflect.StructTag) string {
	switch {
	case of == textType:
		return "text"
	case of == linkType:
		return "link"
	case of == pictureType || of == pictureType.Elem():
		return "picture"
	case of.Kind() == reflect.Slice:
		return "list"
	case of.Kind() == reflect.Struct:
		return "group"
	case of.Kind() == reflect.Bool:
		return "switch"
	case of.Kind() == reflect.Int:
		return "number"
	case tag.Get("enum") != "":
		return "choice"
	}
	return "word"
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func number(tag reflect.StructTag, name string) int {
	value, _ := strconv.Atoi(tag.Get(name)) // 0 without the tag
	return value
}

// Decode returns the settings of the section: a value of its kind's type. It ignores what it does
// not know, which another version of the program may have stored; ok is false for an unknown kind.
func (s Section) Decode() (settings any, ok bool) {
	of, ok := kinds[s.Kind]
	if !ok {
		return nil, false
	}
	value := reflect.New(of)
	if len(s.Settings) > 0 && json.Unmarshal(s.Settings, value.Interface()) != nil {
		return nil, false
	}
	return value.Elem().Interface(), true
}

// image is an uploaded image that a section shows.
type image struct{ path, id string }

// checkSections checks the sections of a page, whose fields are below path, and returns the images
// that they show. Problems are added to bad.
func checkSections(sections []Section, path string, isLanding bool, bad *fault.Invalid) []image {
	c := &checker{bad: bad}
	if len(sections) > MaxSections {
		c.invalid(path, "Must have at most %d sections.", MaxSections)
		return nil
	}
	for i, s := range sections {
		at := fmt.Sprintf("%s[%d]", path, i)
		of, known := kinds[s.Kind]
		if !known {
			c.invalid(at+".kind", "Must be one of %s.", strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
			continue
		}
		if !isLanding && slices.Contains(ofLanding, s.Kind) {
			c.invalid(at+".kind", "Only landing pages have this section.")
			continue
		}
		if len(s.Settings) == 0 {
			continue
		}
		reader := json.NewDecoder(bytes.NewReader(s.Settings))
		reader.UseNumber()
		var value any
		if err := reader.Decode(&value); err != nil {
			c.invalid(at+".settings", "Must be a JSON object.")
			continue
		}
		before := len(*bad)
		if c.check(value, of, "", at+".settings"); len(*bad) > before {
			continue
		}
		if _, ok := s.Decode(); !ok { // a name that stands twice
			c.invalid(at+".settings", "Must have each setting once.")
		}
	}
	if text := jsonOf(sections); len(text) > maxDocument {
		c.invalid(path, "Must have at most %d KiB in JSON.", maxDocument>>10)
	}
	return c.images
}

// checker checks values that were decoded from JSON.
type checker struct {
	bad    *fault.Invalid
	images []image
}

func (c *checker) invalid(path, format string, args ...any) {
	c.bad.Add(path, fault.CodeInvalidValue, format, args...)
}

// check checks a value of a type with these limits.
func (c *checker) check(value any, of reflect.Type, tag reflect.StructTag, path string) {
	if of.Kind() == reflect.Pointer {
		if value == nil {
			return
		}
		of = of.Elem()
	}
	switch of.Kind() {
	case reflect.Struct:
		c.checkGroup(value, of, tag, path)
	case reflect.Slice:
		c.checkList(value, of, tag, path)
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			c.invalid(path, "Must be true or false.")
		}
	case reflect.Int:
		limit := number(tag, "max")
		n, ok := value.(json.Number)
		whole, err := strconv.Atoi(string(n))
		if !ok || err != nil || whole < number(tag, "min") || whole > limit {
			c.invalid(path, "Must be a whole number from %d to %d.", number(tag, "min"), limit)
		}
	default:
		c.checkWord(value, of, tag, path)
	}
}

func (c *checker) checkGroup(value any, of reflect.Type, tag reflect.StructTag, path string) {
	given, ok := value.(map[string]any)
	if !ok {
		c.invalid(path, "Must be an object.")
		return
	}
	known := map[string]reflect.StructField{}
	for f := range of.Fields() {
		known[jsonName(f)] = f
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		f, ok := known[name]
		if !ok {
			c.invalid(path+"."+name, "Must be one of %s.", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			continue
		}
		limits := f.Tag
		if of == textType {
			limits = tag
		}
		c.check(given[name], f.Type, limits, path+"."+name)
	}
	if id, ok := given["mediaId"].(string); ok && of == pictureType.Elem() {
		c.images = append(c.images, image{path + ".mediaId", id})
	}
}

func (c *checker) checkList(value any, of reflect.Type, tag reflect.StructTag, path string) {
	given, ok := value.([]any)
	if limit := number(tag, "max"); !ok || len(given) > limit {
		c.invalid(path, "Must be a list with at most %d entries.", limit)
		return
	}
	for i, item := range given {
		c.check(item, of.Elem(), wordLimit, fmt.Sprintf("%s[%d]", path, i))
	}
}

// wordLimit limits a text without a limit of its own.
const wordLimit = `max:"250"`

func (c *checker) checkWord(value any, of reflect.Type, tag reflect.StructTag, path string) {
	text, ok := value.(string)
	limit := number(tag, "max")
	if limit == 0 {
		limit = number(wordLimit, "max")
	}
	if !ok || utf8.RuneCountInString(text) > limit || strings.ContainsFunc(text, isControl(limit)) {
		c.invalid(path, "Must be a text of at most %d characters.", limit)
		return
	}
	if of == linkType && text != "" && !isLink(text) {
		c.invalid(path, "Must be a path such as /collections/all, or an https URL.")
	}
	values, ok := tag.Lookup("enum")
	if allowed := strings.Split(values, ","); ok && text != "" && !slices.Contains(allowed, text) {
		c.invalid(path, "Must be one of %s.", strings.Join(allowed, ", "))
	}
}

// minLines is the least maximum length of a text that may have several lines.
const minLines = 300

// isControl returns a function that reports whether a text of this maximum length must not contain
// a character.
func isControl(limit int) func(rune) bool {
	return func(r rune) bool { return unicode.IsControl(r) && (r != '\n' && r != '\r' || limit < minLines) }
}

// isLink reports whether a text is a path of the site, or the URL of another one.
func isLink(text string) bool {
	to, err := url.Parse(text)
	switch {
	case err != nil || to.User != nil || strings.ContainsAny(text, "\\\t\r\n "):
		return false
	case to.Scheme == "":
		return to.Host == "" && strings.HasPrefix(to.Path, "/") && !strings.HasPrefix(to.Path, "//")
	}
	return (to.Scheme == "https" || to.Scheme == "http") && to.Host != "" || (to.Scheme == "tel" || to.Scheme == "mailto") && to.Opaque != ""
}

// oneOf adds a problem unless a value is empty or one of these.
func oneOf[T ~string](bad *fault.Invalid, field string, value T, allowed ...T) {
	if value == "" || slices.Contains(allowed, value) {
		return
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	bad.Add(field, fault.CodeInvalidValue, "Must be one of %s.", strings.Join(names, ", "))
}
