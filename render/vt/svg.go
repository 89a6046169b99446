package vt

import (
	"fmt"
	"html"
	"strings"
)

// SVG is a picture of all that was shown.
func (s *Screen) SVG() string {
	const charWidth, lineHeight, margin = 8.4, 18, 12
	lines := s.lines
	for len(lines) > 1 && strings.TrimSpace(textOf(lines[len(lines)-1])) == "" {
		lines = lines[:len(lines)-1]
	}
	width, height := float64(s.columns)*charWidth+2*margin, len(lines)*lineHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#16181d"/>`+"\n")
	fmt.Fprintf(&b, `<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="#d8dce3" xml:space="preserve">`+"\n")
	for y, line := range lines {
		for x := 0; x < len(line); {
			end := x + 1
			for end < len(line) && line[end].look == line[x].look {
				end++
			}
			text := textOf(line[x:end])
			if strings.TrimSpace(text) != "" {
				fmt.Fprintf(&b, `<text x="%.1f" y="%d" textLength="%.1f"%s>%s</text>`+"\n",
					margin+float64(x)*charWidth, margin+(y+1)*lineHeight-5, float64(end-x)*charWidth, attributes(line[x].look), html.EscapeString(text))
			}
			x = end
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// attributes is an SGR as SVG has it.
func attributes(look string) string {
	var b strings.Builder
	for code := range strings.SplitSeq(look, ";") {
		switch code {
		case "1":
			b.WriteString(` font-weight="bold"`)
		case "2":
			b.WriteString(` opacity="0.6"`)
		case "3":
			b.WriteString(` font-style="italic"`)
		case "4":
			b.WriteString(` text-decoration="underline"`)
		case "9":
			b.WriteString(` text-decoration="line-through"`)
		case "31":
			b.WriteString(` fill="#ff6b6b"`)
		case "33":
			b.WriteString(` fill="#e5c07b"`)
		case "36":
			b.WriteString(` fill="#56b6c2"`)
		}
	}
	return b.String()
}
