package providers

import "strconv"

// RequestIDs names the requests of a vendor in one session: by the vendor's own
// ids, as long as none comes again.
type RequestIDs map[string]bool

// Name is the AgentRequest.ID of a request, unlike any before.
func (ids RequestIDs) Name(id string) string {
	name := id
	for n := 2; ids[name] || name == ""; n++ {
		name = id + "-" + strconv.Itoa(n)
	}
	ids[name] = true
	return name
}
