// Package simulator stands in for the providers: for development on one machine, and for tests. It
// speaks their protocols over HTTP, so that the adapters cannot tell it from them, shows a page where
// a person pays, and has switches for everything that can go wrong.
//
// It keeps everything in memory and moves no money. It must listen on this machine only.
package simulator
