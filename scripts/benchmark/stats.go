package main

import (
	"fmt"
	"slices"
	"time"
)

// series is what was measured of one thing, again and again.
type series []float64

func (s series) sorted() series {
	c := slices.Clone(s)
	slices.Sort(c)
	return c
}

// quantile is the value below which the share q of the series lies.
func (s series) quantile(q float64) float64 {
	c := s.sorted()
	return c[min(int(q*float64(len(c))), len(c)-1)]
}

func (s series) median() float64 { return s.quantile(0.5) }

// spread is half the distance between the quartiles, the noise of the median.
func (s series) spread() float64 { return (s.quantile(0.75) - s.quantile(0.25)) / 2 }

// minus and over compare what was measured in the same turn.
func (s series) minus(o series) series {
	return s.with(o, func(a, b float64) float64 { return a - b })
}

func (s series) over(o series) series {
	return s.with(o, func(a, b float64) float64 { return a / b })
}

func (s series) with(o series, f func(a, b float64) float64) series {
	out := make(series, len(s))
	for i := range s {
		out[i] = f(s[i], o[i])
	}
	return out
}

func of(samples []sample, f func(sample) float64) series {
	out := make(series, len(samples))
	for i, s := range samples {
		out[i] = f(s)
	}
	return out
}

func wallMS(s sample) float64 { return float64(s.wall) / float64(time.Millisecond) }
func userS(s sample) float64  { return s.user.Seconds() }
func wallS(s sample) float64  { return s.wall.Seconds() }
func rssMB(s sample) float64  { return float64(s.rss) / (1 << 20) }

// turns measures the commands one after the other, n times: what disturbs the
// machine disturbs all of them.
func turns(n int, measures ...func() (sample, error)) ([][]sample, error) {
	out := make([][]sample, len(measures))
	for range n {
		for i, m := range measures {
			s, err := m()
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], s)
		}
	}
	return out, nil
}

// show is a median with its spread.
func (s series) show(unit string) string {
	return fmt.Sprintf("%s ±%s %s", digits(s.median()), digits(s.spread()), unit)
}

func digits(v float64) string {
	switch {
	case v >= 100 || v <= -100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10 || v <= -10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
