package cmd

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/server"
	"storefront/shop/page"
)

// addFilter adds flags for fields of a list's filter, as the tags of the fields declare them. A
// field is named as in the API; its flag follows a colon if it has another name. parse sets the
// fields, and must be called in [app.withShop]. A field that is set already is the default.
func (a *app) addFilter(cmd *cobra.Command, filter any, names ...string) (parse func() error) {
	fields := reflect.ValueOf(filter).Elem()
	var setters []func() error
	for _, f := range reflect.VisibleFields(fields.Type()) {
		input, ok := server.FilterInput(f)
		i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name+":", input.Name+":") })
		if !ok || i < 0 {
			continue
		}
		_, flag, renamed := strings.Cut(names[i], ":")
		if !renamed {
			flag = flagName(input.Name)
		}
		if f.Type == reflect.TypeFor[time.Time]() {
			input.Description += ": a day such as 2026-03-01 " + dayUsage + ", or a time"
		}
		field, values := fields.FieldByIndex(f.Index), addInput(cmd, input, flag)
		if !field.IsZero() {
			cmd.Flags().Lookup(flag).DefValue = fmt.Sprint(field)
		}
		setters = append(setters, func() error { return a.setField(cmd, flag, field, *values) })
	}
	return func() error {
		for _, set := range setters {
			if err := set(); err != nil {
				return err
			}
		}
		return nil
	}
}

// setField sets a field of a filter to the values of its flag, if there are any.
func (a *app) setField(cmd *cobra.Command, flag string, field reflect.Value, values []string) error {
	if len(values) == 0 {
		return nil
	}
	switch field.Kind() {
	case reflect.String:
		field.SetString(values[0])
	case reflect.Bool:
		on, err := strconv.ParseBool(values[0])
		if err != nil {
			return &usageError{err: fmt.Errorf("--%s must be true or false", flag), command: cmd.CommandPath()}
		}
		field.SetBool(on)
	case reflect.Slice:
		values = strings.FieldsFunc(strings.Join(values, ","), func(r rune) bool { return r == ',' })
		field.Set(reflect.MakeSlice(field.Type(), len(values), len(values)))
		for i, value := range values {
			field.Index(i).SetString(value)
		}
	default:
		at, err := a.parseTime(cmd, flag, values[0])
		if err != nil {
			return err
		}
		if at != nil { // nil if the flag is empty
			field.Set(reflect.ValueOf(*at))
		}
	}
	return nil
}

// addDirection adds the flag of a list's direction: ascending or descending.
func addDirection(cmd *cobra.Command, to *string, flag, usage string) {
	set, unset := page.Ascending, page.Descending
	if flag == "descending" {
		set, unset = unset, set
	}
	cmd.Flags().BoolFunc(flag, usage, func(text string) error {
		on, err := strconv.ParseBool(text)
		if *to = unset; on {
			*to = set
		}
		return err
	})
}
