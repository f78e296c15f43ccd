// Package job stores and runs jobs: one action on many records. Each item is a transaction of its
// own, in which its result is stored too, so that a job continues after a restart and does nothing
// twice. A lease lets one run at a time work on a job, whatever process it is in.
//
// It owns the tables of jobs, their queue and who may see them. What an action does is passed in
// [Config]: the package knows neither orders nor products.
package job
