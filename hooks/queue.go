package hooks

import "sync"

// Queue does things one after the other, beside whoever adds them. The zero value
// is empty and ready.
type Queue struct {
	mu    sync.Mutex
	todo  []func()
	busy  bool
	empty sync.WaitGroup // of what was added and is not done
}

// Add has something done behind all that was added before.
func (q *Queue) Add(do func()) {
	q.empty.Add(1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.todo = append(q.todo, do)
	if !q.busy {
		q.busy = true
		go q.work()
	}
}

// Wait returns when all that was added is done. Nobody adds meanwhile.
func (q *Queue) Wait() { q.empty.Wait() }

func (q *Queue) work() {
	for {
		q.mu.Lock()
		if len(q.todo) == 0 {
			q.busy = false
			q.mu.Unlock()
			return
		}
		do := q.todo[0]
		q.todo = q.todo[1:]
		q.mu.Unlock()
		do()
		q.empty.Done()
	}
}
