package render

import (
	"io"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// OneShot is the object of --output result for a run that has ended.
func OneShot(out providers.Outcome) stream.OneShot {
	shot := stream.OneShot{SessionID: known(out.Facts.SessionID), Model: known(out.Facts.Model)}
	if m := out.Terminal.Metadata; m != nil {
		shot.Metadata = *m
		if m.Usage != nil {
			shot.Usage = *m.Usage
		}
		if m.SessionID != "" {
			shot.SessionID = known(m.SessionID)
		}
		if m.Model != "" {
			shot.Model = known(m.Model)
		}
	}
	switch {
	case out.Err == nil, out.Completed:
		shot.Result = out.Final
	default:
		shot.Metadata.PartialText = out.Final
	}
	if out.Err != nil {
		shot.Error = &stream.OneShotError{
			Message: out.Err.Error(), Class: string(out.Err.Class), Reason: out.Err.Reason,
			Retryable: out.Err.Retryable, Hint: out.Err.Hint,
		}
	}
	return shot
}

// WriteOneShot writes the object and a newline.
func WriteOneShot(w io.Writer, shot stream.OneShot) error {
	data, err := ndjson.Marshal(shot)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
