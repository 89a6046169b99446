package codex

import "testing"

func TestKey(t *testing.T) {
	for in, want := range map[string]string{
		"azAZ09-_": "azAZ09-_", "": `""`, "a.b": `"a.b"`, "ä": `"ä"`, "a/b": `"a/b"`, "a:b": `"a:b"`, "a@b": `"a@b"`, "a[b": `"a[b"`, "a`b": "\"a`b\"", "a{b": `"a{b"`, "a b": `"a b"`,
	} {
		if got := key(in); got != want {
			t.Errorf("key(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestInline(t *testing.T) {
	tests := []struct {
		in   any
		want string
	}{
		{map[string]any{"b": true, "a b": "x", "n": nil}, `{"a b"="x",b=true}`},
		{[]any{1.0, -2.5, 1e21, "x", []any{}}, `[1,-2.5,1000000000000000000000.0,"x",[]]`},
		{map[string]any{"": map[string]any{}}, `{""={}}`},
	}
	for _, tt := range tests {
		got, err := inline(tt.in)
		if err != nil || got != tt.want {
			t.Errorf("inline(%v) = %s, %v, want %s", tt.in, got, err, tt.want)
		}
	}
	if got, err := inline([]any{map[string]any{"a": []any{nil}}}); err == nil {
		t.Errorf("a null in a list became %s", got)
	}
}
