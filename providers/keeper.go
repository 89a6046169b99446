package providers

// Keeper is a Provider whose program says nothing when it cannot keep a session.
type Keeper interface {
	// Kept is where the program keeps a session: an absolute folder, "" where that
	// cannot be told, and the pattern of its file below that, as of fs.Glob.
	Kept(r Request, session string) (dir, pattern string)
}
