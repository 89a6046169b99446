package claude

import (
	"bytes"
	"encoding/base64"

	"agentrun/ndjson"
	"agentrun/providers"
)

type inputLine struct {
	Type    string       `json:"type"`
	Message inputMessage `json:"message"`
	Parent  *string      `json:"parent_tool_use_id"`
	// ClientComposed switches commands (/) and file mentions (@) off: the text
	// reaches the model byte for byte.
	ClientComposed bool `json:"client_composed,omitempty"`
	// UUID names the message in what the CLI tells of it; given in a live session alone.
	UUID string `json:"uuid,omitempty"`
}

// userInput is a message of the user; content is a string or a list of blocks.
func userInput(r providers.Request, content any) inputLine {
	return inputLine{Type: "user", Message: inputMessage{Role: "user", Content: content}, ClientComposed: r.Fenced(fenceVerbatim)}
}

type inputMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

type inputBlock struct {
	Type   string       `json:"type"`
	Text   string       `json:"text,omitempty"`
	Source *imageSource `json:"source,omitempty"`
}

type imageSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// input is the one line of stream-json input that carries the prompt. Text
// input would run /commands, expand @path and mangle blanks.
func input(r providers.Request, f *request) ([]byte, error) {
	line := userInput(r, r.Prompt)
	if len(f.Image) > 0 {
		blocks := []inputBlock{{Type: "text", Text: r.Prompt}}
		for _, name := range f.Image {
			data := r.Contents[name]
			image, err := imageBlock(name, data)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, image)
		}
		line.Message.Content = blocks
	}
	text, err := ndjson.Marshal(line)
	if err != nil {
		return nil, providers.Errorf(providers.Usage, "", "the prompt cannot be written as JSON: %w", err)
	}
	return append(text, '\n'), nil
}

func imageBlock(name string, data []byte) (inputBlock, error) {
	media := mediaType(data)
	if media == "" {
		return inputBlock{}, providers.Errorf(providers.Usage, "", "image: %s is no PNG, JPEG, GIF or WebP file", name)
	}
	return inputBlock{Type: "image", Source: &imageSource{"base64", media, base64.StdEncoding.EncodeToString(data)}}, nil
}

func mediaType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "image/gif"
	case len(data) > 12 && bytes.Equal(data[:4], []byte("RIFF")) && bytes.Equal(data[8:12], []byte("WEBP")):
		return "image/webp"
	}
	return ""
}
