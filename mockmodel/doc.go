// Package mockmodel is a loopback stand-in for the model APIs that the vendors'
// agent CLIs call: Anthropic Messages, OpenAI Responses and Google
// generateContent. The real CLIs run against it with no key, no network and no
// tokens, and the model does what a Script says.
//
// A server keeps no state of conversations: where in the script a request
// stands is read from the request itself. It knows only the protocols, not
// the CLIs' adapters.
package mockmodel
