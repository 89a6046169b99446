package mockmodel

import (
	"net/http"
	"strconv"
	"strings"

	"agentrun/ndjson"
)

// google is the Gemini API, v1beta generateContent, as gemini 0.61.0 calls it.
type google struct{}

type generateRequest struct {
	Contents []googleContent `json:"contents"`
	Tools    []struct {
		Functions []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	Config struct {
		Schema     ndjson.RawMessage `json:"responseSchema"`
		JSONSchema ndjson.RawMessage `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

type googleContent struct {
	Role  string       `json:"role"`
	Parts []googlePart `json:"parts"`
}

type googlePart struct {
	Text     string `json:"text"`
	Response *struct {
		Response map[string]ndjson.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// read takes the model and the way of answering from a path like
// /v1beta/models/NAME:streamGenerateContent.
func (google) read(path string, body []byte) (ask, error) {
	var r generateRequest
	if err := ndjson.Unmarshal(body, &r); err != nil {
		return ask{}, err
	}
	name, method, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	q := ask{model: name, stream: method == "streamGenerateContent", native: geminiTools(), schema: r.Config.JSONSchema}
	if q.schema == nil {
		q.schema = r.Config.Schema
	}
	for _, t := range r.Tools {
		for _, f := range t.Functions {
			q.tools = append(q.tools, f.Name)
			if f.Name == "complete_task" {
				q.doneTool = f.Name
			}
		}
	}
	for _, c := range r.Contents {
		q.followGoogle(c)
	}
	if q.schema != nil && !q.stream { // the CLI asks a classifier
		q.side = string(sample(q.schema))
	}
	return q, nil
}

func (q *ask) followGoogle(c googleContent) {
	if c.Role == "model" {
		q.turn++
		return
	}
	prompt, results := "", false
	for _, p := range c.Parts {
		switch {
		case p.Response != nil:
			results = true
			q.output = googleOutput(p.Response.Response)
		case p.Text != "" && !strings.HasPrefix(p.Text, "<session_context>"):
			prompt = p.Text
		}
	}
	if !results && prompt != "" {
		q.prompt, q.turn = prompt, 0
	}
}

// googleOutput is the text of a function response, which is an object with an output or an error.
func googleOutput(r map[string]ndjson.RawMessage) string {
	for _, key := range []string{"output", "error", "result"} {
		raw, ok := r[key]
		if !ok {
			continue
		}
		var s string
		if ndjson.Unmarshal(raw, &s) == nil {
			return bare(s)
		}
		return string(raw)
	}
	return ""
}

// bare takes off what gemini writes around a command's output.
func bare(s string) string {
	s, ok := strings.CutPrefix(s, "<untrusted_context>\nOutput: ")
	if !ok {
		return s
	}
	for _, mark := range []string{"\nExit Code: ", "\nProcess Group PGID: "} {
		if i := strings.LastIndex(s, mark); i >= 0 {
			s = s[:i]
		}
	}
	return s
}

func (google) fail(e Error) failure {
	w := e.as(map[string]worded{
		ErrorAuth:       {401, "UNAUTHENTICATED", "Request had invalid authentication credentials."},
		ErrorForbidden:  {403, "PERMISSION_DENIED", "The caller does not have permission"},
		ErrorRateLimit:  {429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."},
		ErrorQuota:      {429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."},
		ErrorServer:     {500, "INTERNAL", "An internal error has occurred. Please retry."},
		ErrorOverloaded: {503, "UNAVAILABLE", "The model is overloaded. Please try again later."},
		ErrorContext:    {400, "INVALID_ARGUMENT", "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."},
		ErrorNoModel:    {404, "NOT_FOUND", "models/mock is not found for API version v1beta, or is not supported for generateContent."},
		ErrorRequest:    {400, "INVALID_ARGUMENT", "The mock does not take this request."},
	}[e.kind()])
	details := []object{}
	if e.kind() == ErrorQuota {
		details = append(details, object{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []object{{
			"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
			"quotaId":     "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
		}}})
	}
	if e.RetryAfter > 0 {
		details = append(details, object{
			"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": strconv.FormatFloat(e.RetryAfter, 'f', -1, 64) + "s",
		})
	}
	return failure{status: w.status, header: http.Header{}, body: object{"error": object{
		"code": w.status, "message": w.message, "status": w.kind, "details": details,
	}}}
}
