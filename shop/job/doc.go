// Package job stores and runs jobs: one action on many records. Each item is a transaction of its
// own, which also stores its result. So a job continues after a restart and does nothing twice. A
// claim lets only one run at a time work on a job, in any process.
//
// It owns the tables of jobs, their queue and their visibility. The actions are passed in [Config]:
// the package depends on neither orders nor products.
package job
