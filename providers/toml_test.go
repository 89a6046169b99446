package providers

import "testing"

func TestQuoteTOML(t *testing.T) {
	tests := map[string]string{
		"":                 `""`,
		`a "b" 'c' \d`:     `"a \"b\" 'c' \\d"`,
		"line\nnext\ttab":  `"line\nnext\ttab"`,
		"cr\r bell\a\x7f":  `"cr\u000d bell\u0007\u007f"`,
		"Grüße 😀 \u2028":   "\"Grüße 😀 \u2028\"",
		"#{}[]=, # no end": `"#{}[]=, # no end"`,
	}
	for in, want := range tests {
		if got := QuoteTOML(in); got != want {
			t.Errorf("QuoteTOML(%q) = %s, want %s", in, got, want)
		}
	}
}
