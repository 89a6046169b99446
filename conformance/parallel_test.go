//go:build !real

package conformance

// parallel leaves the number of tests at once as it is.
func parallel() error { return nil }
