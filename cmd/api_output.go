package cmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// jsonObject is an object with its keys in the order of the text.
type jsonObject struct {
	keys   []string
	values map[string]any // nil, bool, json.Number, string, []any or *jsonObject
}

// parseObject parses an object.
func parseObject(text []byte) (*jsonObject, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	value, err := parseValue(d)
	if err != nil {
		return nil, fmt.Errorf("decode response: %w", err)
	}
	object, ok := value.(*jsonObject)
	if !ok {
		return nil, fmt.Errorf("decode response: got %T, want an object", value)
	}
	return object, nil
}

// objectOf returns a value as the object of its JSON.
func objectOf(value any) (*jsonObject, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return parseObject(text)
}

func parseValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := &jsonObject{values: map[string]any{}}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name := key.(string) // the decoder accepts nothing else
			if object.values[name], err = parseValue(d); err != nil {
				return nil, err
			}
			object.keys = append(object.keys, name)
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = d.Token()
		return list, err
	}
	return token, nil
}

// MarshalJSON returns the object with its keys in their order.
func (o *jsonObject) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(&b, key, ""); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encode(&b, o.values[key], ""); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// meta returns the page information of a list, nil if there is none.
func (o *jsonObject) meta() *jsonObject {
	meta, _ := o.values["meta"].(*jsonObject)
	return meta
}

func (o *jsonObject) nodes() (nodes []any, isList bool) {
	nodes, isList = o.values["nodes"].([]any)
	return nodes, isList
}

func hasNextPage(o *jsonObject) bool {
	return o.meta() != nil && o.meta().values["hasNextPage"] == true
}

// appendPage adds the next page of a list. The page information then describes the whole list.
func (o *jsonObject) appendPage(next *jsonObject) {
	nodes, _ := o.nodes()
	more, _ := next.nodes()
	o.values["nodes"] = append(nodes, more...)
	meta := o.meta().values
	meta["hasNextPage"], meta["totalPages"], meta["totalCount"] = hasNextPage(next), 1, len(nodes)+len(more)
	if _, has := meta["bounded"]; has {
		meta["bounded"] = false
	}
}

// printObject prints a response: unchanged with --json, otherwise a list as a table and any other
// response field by field.
func (a *app) printObject(o *jsonObject) error {
	return a.print(o, func(w *table) { writeObject(w, o) })
}

func writeObject(w *table, o *jsonObject) {
	nodes, isList := o.nodes()
	if !isList {
		writeFields(w, o, "")
		return
	}
	if len(nodes) == 0 {
		fmt.Fprintln(w, "Nothing found.")
		return
	}
	writeNodes(w, nodes)
	if hasNextPage(o) {
		m := o.meta().values
		fmt.Fprintf(
			w, "\nPage %v of %v, %v in total; next: --page %d.\n", m["currentPage"], m["totalPages"],
			m["totalCount"], nextPage(m),
		)
	}
}

func nextPage(meta map[string]any) int64 {
	number, _ := meta["currentPage"].(json.Number)
	current, _ := number.Int64()
	return current + 1
}

// writeNodes writes a list as a table. Its columns are the values that fit a cell, without columns
// that are empty or false in every row.
func writeNodes(w *table, nodes []any) {
	var columns []string
	for _, node := range nodes {
		object, ok := node.(*jsonObject)
		if !ok { // a list of texts
			fmt.Fprintln(w, printable(fmt.Sprint(node)))
			continue
		}
		for _, key := range object.keys {
			if text, fits := cellText(w, object.values[key]); fits && text != "" && text != "false" &&
				!slices.Contains(columns, key) {
				columns = append(columns, key)
			}
		}
	}
	if columns == nil {
		return
	}
	names := make([]string, len(columns))
	for i, key := range columns {
		if names[i] = strings.ToUpper(fieldWords(key)) + "…"; i > 1 {
			names[i] = "[" + names[i] + "]"
		}
	}
	heading(w, names...)
	for _, node := range nodes {
		object, ok := node.(*jsonObject)
		if !ok {
			continue
		}
		cells := make([]any, len(columns))
		for i, key := range columns {
			text, _ := cellText(w, object.values[key])
			cells[i] = colour(shortened(text))
		}
		row(w, cells...)
	}
}

// cellText returns the text of a value in a cell, and whether it fits there. Amounts are formatted,
// and a record is shown by its name.
func cellText(w *table, value any) (text string, fits bool) {
	switch value := value.(type) {
	case nil:
		return "", true
	case []any:
		texts := make([]string, len(value))
		for i, element := range value {
			if _, isObject := element.(*jsonObject); isObject {
				return "", false
			}
			texts[i], _ = cellText(w, element)
		}
		return strings.Join(texts, ", "), true
	case *jsonObject:
		for _, key := range []string{"formatted", "name", "label", "title"} {
			if text, ok := value.values[key].(string); ok {
				return text, true
			}
		}
		return "", false
	case string:
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			return w.time(at), true
		}
		return value, true
	}
	return fmt.Sprint(value), true
}

// writeFields writes the fields of an object, one a line, with nested objects below them.
func writeFields(w *table, o *jsonObject, indent string) {
	for _, key := range o.keys {
		value := o.values[key]
		name := indent + fieldWords(key)
		list, isList := value.([]any)
		text, fits := cellText(w, value)
		object, isObject := value.(*jsonObject)
		switch {
		case fits && (!isObject || object.values["formatted"] != nil):
			fmt.Fprintf(w, "%s: %s\n", name, cmp.Or(fieldText(text), "-"))
		case isObject:
			fmt.Fprintln(w, name+":")
			writeFields(w, object, indent+"  ")
		case isList:
			fmt.Fprintln(w, name+":")
			for i, element := range list {
				if i > 0 {
					fmt.Fprintln(w)
				}
				if object, ok := element.(*jsonObject); ok {
					writeFields(w, object, indent+"  ")
				}
			}
		}
	}
}

// fieldText returns a text on one line.
func fieldText(text string) string {
	return printable(strings.ReplaceAll(strings.TrimSpace(text), "\n", " "))
}

// fieldWords returns a field's name as words: "order number" for orderNumber.
func fieldWords(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' {
			return ' '
		}
		return unicode.ToLower(r)
	}, flagName(strings.TrimPrefix(name, "_")))
}
