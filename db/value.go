package db

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"
)

// Value is a value of a column: nil, an int64, a float64, a string or a []byte.
type Value = driver.Value

// ScopedText is an argument of a statement in which each [ScopeMark] is replaced by
// [Session.Scope]. In a full-text index that all tenants share, words begin with the scope.
type ScopedText string

// ScopeMark stands for the tenant's scope in a [ScopedText]. It is a control character, which no
// word contains.
const ScopeMark = '\x01'

// bindValue converts an argument of a statement to a [Value], or to a bool.
func bindValue(arg any) (Value, error) {
	switch v := arg.(type) {
	case nil, int64, string, bool, []byte, float64:
		return v, nil
	case int:
		return int64(v), nil
	case time.Time:
		return v.UnixMilli(), nil
	case *time.Time:
		if v == nil {
			return nil, nil
		}
		return v.UnixMilli(), nil
	case *string:
		if v == nil {
			return nil, nil
		}
		return *v, nil
	case *int64:
		if v == nil {
			return nil, nil
		}
		return *v, nil
	case **string:
		return bindValue(*v)
	case **int64:
		return bindValue(*v)
	}
	v, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return nil, err
	}
	if t, ok := v.(time.Time); ok { // from a driver.Valuer
		return t.UnixMilli(), nil
	}
	return v, nil
}

var errNull = errors.New("the value is NULL: scan into a pointer to a pointer")

// assign copies a value of the driver into the value that dest points to.
func assign(dest any, v Value) error {
	switch d := dest.(type) {
	case *int64:
		return assignNumber(d, v)
	case *int:
		return assignNumber(d, v)
	case *string:
		if s, ok := v.(string); ok {
			*d = s
			return nil
		}
	case *[]byte:
		return assignBytes(d, v)
	case *bool:
		if n, ok := v.(int64); ok {
			*d = n != 0
			return nil
		}
	case *float64:
		switch n := v.(type) {
		case float64:
			*d = n
			return nil
		case int64:
			*d = float64(n)
			return nil
		}
	case *time.Time:
		if n, ok := v.(int64); ok {
			*d = time.UnixMilli(n).UTC()
			return nil
		}
	case *any:
		*d = v
		return nil
	case sql.Scanner:
		return d.Scan(v)
	default:
		return assignReflect(dest, v)
	}
	return mismatch(dest, v)
}

func assignNumber[T int | int64](dest *T, v Value) error {
	n, ok := v.(int64)
	if !ok || int64(T(n)) != n {
		return mismatch(dest, v)
	}
	*dest = T(n)
	return nil
}

// assignBytes distinguishes an empty blob from NULL: the driver returns a nil slice for both.
func assignBytes(dest *[]byte, v Value) error {
	switch b := v.(type) {
	case nil:
		*dest = nil
	case []byte:
		*dest = append([]byte{}, b...)
	case string:
		*dest = []byte(b)
	default:
		return mismatch(dest, v)
	}
	return nil
}

// assignReflect handles named types, and pointers for values that may be NULL.
func assignReflect(dest any, v Value) error {
	p := reflect.ValueOf(dest)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("cannot scan into %T", dest)
	}
	to := p.Elem()
	switch {
	case to.Kind() != reflect.Pointer:
		if !setValue(to, v) {
			return mismatch(dest, v)
		}
	case v == nil:
		to.SetZero()
	default:
		fresh := reflect.New(to.Type().Elem())
		if err := assign(fresh.Interface(), v); err != nil {
			return err
		}
		to.Set(fresh)
	}
	return nil
}

// setValue sets a variable of a named type, and reports whether the value fits.
func setValue(to reflect.Value, v Value) bool {
	switch n := v.(type) {
	case int64:
		return setInt(to, n)
	case float64:
		if to.CanFloat() && (!to.OverflowFloat(n) || math.IsInf(n, 0)) {
			to.SetFloat(n)
			return true
		}
	case string:
		if to.Kind() == reflect.String {
			to.SetString(n)
			return true
		}
	case []byte:
		if to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8 {
			to.SetBytes(append([]byte{}, n...))
			return true
		}
	}
	return false
}

// setInt sets a number or a flag, and reports whether the value fits.
func setInt(to reflect.Value, n int64) bool {
	switch {
	case to.CanInt() && !to.OverflowInt(n):
		to.SetInt(n)
	case to.CanUint() && n >= 0 && !to.OverflowUint(uint64(n)):
		to.SetUint(uint64(n))
	case to.Kind() == reflect.Bool:
		to.SetBool(n != 0)
	default:
		return false
	}
	return true
}

// mismatch returns the error for a value that does not fit dest. It omits the value, which may be
// personal data.
func mismatch(dest any, v Value) error {
	if v == nil {
		return errNull
	}
	return fmt.Errorf("cannot scan %T into %T", v, dest)
}
