package gemini

import (
	"fmt"
	"regexp"
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// policyFile is our rules for the CLI's policy engine. It goes by
// --admin-policy: --policy would replace the user's own policies.
const policyFile = "policy.toml"

// The priorities of our rules, within the admin tier.
const (
	priorityFence    = 999
	priorityDeny     = 998
	priorityAllow    = 900
	priorityReadOnly = 100
	priorityAsk      = 50
)

// askUser is the decision of a rule that has the CLI ask us.
const askUser = "ask_user"

// addPolicy writes the rules of the fence, of access and of the tool fields.
func addPolicy(r providers.Request, f *fields, c *providers.Command) {
	addPolicyOver(nil, modeOf(r, f) != "yolo", r, f, c)
}

// addPolicyOver is addPolicy with more rules; escape says whether there is a mode to escape from.
func addPolicyOver(rules []string, escape bool, r providers.Request, f *fields, c *providers.Command) {
	if (r.Fenced(fencePlan) || r.Asks) && escape {
		rules = append(rules, rule(`["enter_plan_mode", "exit_plan_mode"]`, "", "deny", priorityFence))
		if sandboxed(r, f) {
			c.Notices = append(c.Notices, stream.Notice(stream.NoticeWarning, "the sandbox does not see our policy file: in it, a model can leave the approval mode through the plan tools"))
		}
	}
	for _, t := range f.DenyTool {
		rules = append(rules, toolRule(t, "deny", priorityDeny))
	}
	allowed := "allow"
	if r.Asks {
		allowed = askUser
	}
	for _, t := range f.AllowTool {
		rules = append(rules, toolRule(t, allowed, priorityAllow))
	}
	if f.Access == accessReadOnly {
		rules = append(rules,
			rule(`["write_file", "replace", "run_shell_command", "activate_skill", "web_fetch"]`, "", "deny", priorityReadOnly),
			rule(`"*"`, "mcpName = \"*\"\n", "deny", priorityReadOnly))
	}
	if len(rules) == 0 {
		return
	}
	c.Files = append(c.Files, providers.File{Name: policyFile, Content: []byte(strings.Join(rules, "\n"))})
	c.Args = append(c.Args, "--admin-policy", r.Dir+"/"+policyFile)
}

func rule(tool, more, decision string, priority int) string {
	return fmt.Sprintf("[[rule]]\ntoolName = %s\n%sdecision = %q\npriority = %d\n", tool, more, decision, priority)
}

// toolForm is the rule form of allow_tool and deny_tool: NAME or NAME(PREFIX).
func toolForm() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z0-9_*.:-]+)(?:\((.+)\))?$`) }

// toolRule writes the rule of an element that checkTools has passed.
func toolRule(t, decision string, priority int) string {
	m := toolForm().FindStringSubmatch(t)
	more := ""
	if m[2] != "" {
		more = "commandPrefix = " + providers.QuoteTOML(m[2]) + "\n"
	}
	return rule(providers.QuoteTOML(m[1]), more, decision, priority)
}
