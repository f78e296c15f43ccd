package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestDeadline(t *testing.T) {
	t.Parallel()
	type key struct{}
	for name, test := range map[string]func(t *testing.T, d *deadline, leave func()){
		"passes while somebody waits": func(t *testing.T, d *deadline, _ func()) {
			child, cancel := context.WithCancel(d)
			defer cancel()
			<-child.Done()
			if child.Err() != context.DeadlineExceeded || d.Err() != context.DeadlineExceeded {
				t.Errorf("%v, child %v", d.Err(), child.Err())
			}
		},
		"passes while nobody waits": func(t *testing.T, d *deadline, _ func()) {
			time.Sleep(time.Second)
			if d.Err() != context.DeadlineExceeded {
				t.Error(d.Err())
			}
			<-d.Done()
		},
		"the client leaves": func(t *testing.T, d *deadline, leave func()) {
			if d.Err() != nil || d.Value(key{}) != "value" {
				t.Errorf("before: %v, value %v", d.Err(), d.Value(key{}))
			}
			leave()
			if d.Err() != context.Canceled {
				t.Error(d.Err())
			}
			<-d.Done()
		},
		"the request ends": func(t *testing.T, d *deadline, _ func()) {
			child, cancel := context.WithCancel(d)
			defer cancel()
			d.end()
			<-child.Done()
			if d.Err() != context.Canceled || child.Value(key{}) != "value" {
				t.Errorf("%v, value %v", d.Err(), child.Value(key{}))
			}
		},
		"the request ends before anybody waits": func(t *testing.T, d *deadline, _ func()) {
			d.end()
			if d.Err() != context.Canceled {
				t.Error(d.Err())
			}
			<-d.Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, leave := context.WithCancel(context.WithValue(context.Background(), key{}, "value"))
				defer leave()
				d := new(deadline)
				d.begin(ctx, time.Now().Add(time.Second))
				defer d.end()
				test(t, d, leave)
			})
		})
	}
}
