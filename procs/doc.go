// Package procs runs one child and takes care of all of its descendants: it
// starts the child without a shell, feeds its stdin, hands its stdout to the
// caller, keeps a bounded part of its stderr, and ends everything below it,
// tools in their own sessions and daemons included. It knows nothing of agents.
//
// The supervising parent of Spec.Supervisor is the program itself, started again
// under another name: to import this package is all that it needs.
package procs
