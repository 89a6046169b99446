package procs

import (
	"fmt"
	"os"
)

// stderrHalf is how much is kept of each end of a child's stderr, in bytes.
const stderrHalf = 128 << 10

// Stderr is what is kept of a child's stderr: all of it up to 256 KiB, else
// the first and the last 128 KiB.
type Stderr struct {
	Head, Tail []byte
	Dropped    int64 // bytes between the two
}

// String returns what is kept, with a line in place of what is not.
func (s Stderr) String() string {
	if s.Dropped == 0 {
		return string(s.Head) + string(s.Tail)
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", s.Head, s.Dropped, s.Tail)
}

// add keeps a piece. Tail is a ring while it is full: start is its first byte.
func (k *stderrKeeper) add(p []byte) {
	if room := stderrHalf - len(k.head); room > 0 {
		n := min(room, len(p))
		k.head, p = append(k.head, p[:n]...), p[n:]
	}
	if room := stderrHalf - len(k.ring); room > 0 {
		n := min(room, len(p))
		k.ring, p = append(k.ring, p[:n]...), p[n:]
	}
	k.dropped += int64(len(p))
	for len(p) > 0 {
		n := copy(k.ring[k.start:], p)
		k.start, p = (k.start+n)%stderrHalf, p[n:]
	}
}

// stderrKeeper reads a child's stderr to its end, in memory that does not grow.
type stderrKeeper struct {
	head, ring []byte
	start      int
	dropped    int64
	done       chan struct{}
}

func keepStderr(f *os.File) *stderrKeeper {
	k := &stderrKeeper{done: make(chan struct{})}
	go func() {
		defer close(k.done)
		buf := make([]byte, 16<<10)
		for {
			n, err := f.Read(buf)
			k.add(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	return k
}

// result is what was kept; call it after done is closed.
func (k *stderrKeeper) result() Stderr {
	tail := append(append([]byte(nil), k.ring[k.start:]...), k.ring[:k.start]...)
	return Stderr{Head: k.head, Tail: tail, Dropped: k.dropped}
}
