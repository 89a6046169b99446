package codex

import (
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// sticky is what a turn changes for itself and all turns after it.
type sticky struct {
	Model    string         `json:"model,omitempty"`
	Effort   string         `json:"effort,omitempty"`
	Sandbox  *sandboxPolicy `json:"sandboxPolicy,omitempty"`
	Approval string         `json:"approvalPolicy,omitempty"`
	Reviewer string         `json:"approvalsReviewer,omitempty"`
}

// sandboxPolicy is a sandbox in full. The user's own settings of
// sandbox_workspace_write do not go into it.
type sandboxPolicy struct {
	Type     string   `json:"type"`
	Writable []string `json:"writableRoots,omitempty"`
	Network  bool     `json:"networkAccess,omitempty"`
}

// mode is the sandbox as a word.
func (p *sandboxPolicy) mode() string {
	switch p.Type {
	case policyFull:
		return "danger-full-access"
	case policyEdit:
		return "workspace-write"
	}
	return accessRead
}

const (
	policyRead = "readOnly"
	policyEdit = "workspaceWrite"
	policyFull = "dangerFullAccess"

	askNever  = "never"
	askNeeded = "on-request"
	askMost   = "untrusted"
)

// firstSticky is what the session begins with. It is said with the first turn: a
// thread that is carried on keeps its stored model and sandbox otherwise.
func firstSticky(r providers.Request, f *fields) sticky {
	s := sticky{Model: f.Model, Effort: f.Effort, Approval: f.Approval}
	if r.Asks {
		s.Approval = askMost
	}
	switch {
	case f.Bypass:
		s.Sandbox, s.Approval = &sandboxPolicy{Type: policyFull}, askNever
	case f.ApproveForMe:
		s.Sandbox, s.Approval, s.Reviewer = f.policy(accessEdit), askNeeded, "auto_review"
	case !r.Given("access") && !r.Fenced(fenceSandbox):
	default:
		s.Sandbox = f.policy(f.Access)
		if s.Approval == "" {
			s.Approval = approvalOf(f.Access)
		}
	}
	return s
}

func (f *fields) policy(access string) *sandboxPolicy {
	switch access {
	case accessFull:
		return &sandboxPolicy{Type: policyFull}
	case accessEdit:
		return &sandboxPolicy{Type: policyEdit, Writable: f.AddDir, Network: f.Network}
	}
	return &sandboxPolicy{Type: policyRead}
}

// approvalOf is when codex asks: with full access there is nothing to ask for.
func approvalOf(access string) string {
	if access == accessFull {
		return askNever
	}
	return askNeeded
}

// Update changes the model, the access or the effort from the next turn on.
func (d *driver) Update(in stream.LiveInput, _ func(providers.Effect)) error {
	next := d.next
	if in.Model != "" {
		if strings.TrimSpace(in.Model) == "" {
			return providers.Errorf(providers.Usage, "", "model: the value is empty")
		}
		next.Model = in.Model
	}
	if in.Effort != "" {
		if strings.TrimSpace(in.Effort) == "" {
			return providers.Errorf(providers.Usage, "", "effort: the value is empty")
		}
		next.Effort = in.Effort
	}
	switch in.Access {
	case "":
	case accessRead, accessEdit, accessFull:
		next.Sandbox, next.Approval, next.Reviewer = d.fields.policy(in.Access), d.fields.Approval, "user"
		switch {
		case d.req.Asks:
			next.Approval = askMost
		case next.Approval == "":
			next.Approval = approvalOf(in.Access)
		}
	default:
		return providers.Errorf(providers.Usage, "", "access is read-only, edit or full, not %q", in.Access)
	}
	d.next = next
	return nil
}

// over is s where it says something, else what was before.
func (s sticky) over(before sticky) sticky {
	if s.Model == "" {
		s.Model = before.Model
	}
	if s.Effort == "" {
		s.Effort = before.Effort
	}
	if s.Sandbox == nil {
		s.Sandbox, s.Approval, s.Reviewer = before.Sandbox, before.Approval, before.Reviewer
	}
	return s
}
