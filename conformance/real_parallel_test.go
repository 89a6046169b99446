//go:build real

package conformance

import "flag"

// parallel lets more tests run at once: the CLIs mostly wait, for their own
// start-up, their retries, the model.
func parallel() error { return flag.Set("test.parallel", "3") }
