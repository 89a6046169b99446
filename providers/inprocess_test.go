package providers

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A deadline that runs out loses nothing and does not begin the wait anew.
func TestPlaybackDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		steps := slices.Values([]Step{{Wait: 3 * time.Second, Record: []byte(`{"a":1}`)}, {Wait: 3 * time.Second}, {Record: []byte(`{}`)}})
		p := newPlayback(t.Context(), steps)
		defer p.stop()
		began := time.Now()
		var got []string
		var b [5]byte
		for {
			if err := p.SetReadDeadline(time.Now().Add(2 * time.Second)); err != nil {
				t.Fatal(err)
			}
			n, err := p.Read(b[:])
			if errors.Is(err, io.EOF) {
				break
			}
			word := string(b[:n])
			if errors.Is(err, os.ErrDeadlineExceeded) {
				word = "deadline"
			}
			got = append(got, time.Since(began).String()+" "+word)
		}
		want := []string{"2s deadline", "3s {\"a\":", "3s 1}\n", "5s deadline", "6s {}\n"}
		if !slices.Equal(got, want) || p.ended {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestPlaybackEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p := newPlayback(ctx, slices.Values([]Step{{Wait: time.Hour, Record: []byte(`{}`)}}))
		defer p.stop()
		began := time.Now()
		if n, err := p.Read(make([]byte, 9)); n != 0 || !errors.Is(err, io.EOF) || !p.ended || time.Since(began) != time.Second {
			t.Errorf("read %d bytes, %v, ended %v after %v", n, err, p.ended, time.Since(began))
		}
	})
}
