package mockmodel

import (
	"embed"
	"path"
	"slices"
	"strings"
)

//go:embed scenarios/*.json
var scenarioFiles embed.FS

// Info describes a built-in scenario.
type Info struct {
	Name string
	Help string
}

// Scenario returns a built-in script by its name.
func Scenario(name string) (Script, bool) {
	data, ok := Source(name)
	if !ok {
		return Script{}, false
	}
	s, err := Parse(data)
	return s, err == nil
}

// Source returns the JSON of a built-in script.
func Source(name string) ([]byte, bool) {
	data, err := scenarioFiles.ReadFile("scenarios/" + name + ".json")
	return data, err == nil
}

// Scenarios lists the built-in scripts by name.
func Scenarios() []Info {
	files, err := scenarioFiles.ReadDir("scenarios")
	if err != nil {
		return nil
	}
	var list []Info
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), path.Ext(f.Name()))
		if s, ok := Scenario(name); ok {
			list = append(list, Info{name, s.Help})
		}
	}
	slices.SortFunc(list, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return list
}
