package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// processes lists those of a run that live: by its mark in their environment,
// and by what the stand-in noted, since a daemon may have lost its environment.
func processes(mark, pids string) []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		environ, err := os.ReadFile(dir + "/environ")
		if err != nil {
			continue
		}
		for v := range bytes.SplitSeq(environ, []byte{0}) {
			if string(v) == mark {
				found = append(found, describe(filepath.Base(dir)))
			}
		}
	}
	noted, _ := os.ReadFile(pids)
	for pid := range strings.FieldsSeq(string(noted)) {
		if living(pid) {
			found = append(found, describe(pid))
		}
	}
	return found
}

func describe(pid string) string {
	args, _ := os.ReadFile("/proc/" + pid + "/cmdline")
	return pid + " " + strings.TrimSpace(strings.ReplaceAll(string(args), "\x00", " "))
}

// living: there, and no zombie.
func living(pid string) bool {
	if _, err := strconv.Atoi(pid); err != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}
