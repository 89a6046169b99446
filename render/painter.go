package render

import (
	"io"
	"strings"
)

// painter shows the answer's Markdown at a terminal. A block is rendered when it
// is complete; until then it is shown as it comes, and then written anew. One
// that outgrows the screen stays as it came: what has scrolled away is out of reach.
type painter struct {
	foot      *foot
	size      func() (columns, rows int)
	columns   int // for which the foot is drawn
	markdown  markdown
	blocks    blocks
	block     []byte // the raw text of the block that is not complete
	line      int    // where its unfinished line begins
	follows   bool   // another block of the unit stands before it
	plain     bool   // it has outgrown the screen; block has what is not final
	statusRow string // below it; "" is none
}

// maxBlock is the size of the largest block that is rendered.
const maxBlock = 64 << 10

func newPainter(w io.Writer, size func() (columns, rows int)) *painter {
	return &painter{foot: &foot{w: w}, size: size, markdown: newMarkdown()}
}

// add takes the next piece of the answer.
func (p *painter) add(text string) error {
	p.resized()
	p.statusRow = ""
	if err := p.take(text); err != nil {
		return err
	}
	return p.draw()
}

// unit takes a whole unit of the answer.
func (p *painter) unit(text string) error {
	p.resized()
	p.statusRow = ""
	if err := p.take(text); err != nil {
		return err
	}
	return p.end()
}

// take finds the blocks that are complete, and prints them.
func (p *painter) take(text string) error {
	for text != "" {
		i := strings.IndexByte(text, '\n') + 1
		if i == 0 {
			p.block = append(p.block, text...)
			return nil
		}
		p.block = append(p.block, text[:i]...)
		text = text[i:]
		if err := p.wholeLine(); err != nil {
			return err
		}
	}
	return nil
}

// wholeLine takes the line that has just become complete.
func (p *painter) wholeLine() error {
	before, after := p.blocks.line(string(p.block[p.line:]))
	if before && p.line > 0 {
		line := string(p.block[p.line:])
		p.block = p.block[:p.line]
		if err := p.complete(); err != nil {
			return err
		}
		p.block = append(p.block, line...)
	}
	p.line = len(p.block)
	if after {
		return p.complete()
	}
	return nil
}

// complete prints the block and begins another.
func (p *painter) complete() error {
	rows, plain := p.final(), p.plain
	p.block, p.line, p.plain = p.block[:0], 0, false
	p.follows = p.follows || plain || len(rows) > 0
	switch {
	case len(rows) > 0:
		return p.foot.finish(rows)
	case plain:
		return p.foot.set(nil)
	}
	return nil
}

// final lays out the block for good.
func (p *painter) final() []string {
	text := strings.TrimRight(string(p.block), "\n")
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case p.plain:
		return rows(text, p.columns)
	case len(text) > maxBlock:
		return p.lead(rows(strings.TrimLeft(text, "\n"), p.columns))
	}
	return p.lead(p.markdown.render(strings.TrimLeft(text, "\n"), p.columns))
}

// lead puts an empty row between two blocks.
func (p *painter) lead(rows []string) []string {
	if p.follows {
		return append([]string{""}, rows...)
	}
	return rows
}

// draw shows the block that is not complete, and the status line.
func (p *painter) draw() error {
	text := string(p.block)
	if !p.plain {
		text = strings.TrimLeft(text, "\n")
	}
	var tail []string
	if strings.TrimSpace(text) != "" {
		tail = rows(text, p.columns)
		if !p.plain {
			tail = p.lead(tail)
		}
	}
	_, height := p.size()
	if most := max(height-2, 1); len(tail) > most {
		return p.spill(tail)
	}
	if p.statusRow != "" {
		tail = append(tail, p.statusRow)
	}
	return p.foot.set(tail)
}

// spill makes all rows but the last final: there are too many to be written anew.
func (p *painter) spill(tail []string) error {
	last := len(tail) - 1
	err := p.foot.set(tail)
	p.foot.settle(last)
	p.plain = true
	p.block = append(p.block[:0], tail[last]...)
	p.line = 0
	return err
}

// resized gives up what was drawn for another width: the terminal may have laid
// it out anew, and nobody can tell where it begins.
func (p *painter) resized() {
	columns, _ := p.size()
	if columns == p.columns {
		return
	}
	p.columns = columns
	p.leave()
}

// leave makes final what is drawn, because nobody can tell any more where it
// stands, and goes on below it.
func (p *painter) leave() {
	drawn := len(p.foot.rows)
	if drawn == 0 {
		return
	}
	if p.statusRow != "" && p.foot.rows[drawn-1] == p.statusRow {
		_ = p.foot.wipe(p.columns)
	} else {
		p.foot.rows = nil
		_, _ = io.WriteString(p.foot.w, "\n")
		drawn++
	}
	if drawn > 1 { // a part of the answer was drawn, all that there is
		p.plain, p.block, p.line = true, p.block[:0], 0
	}
}

// status shows a line below the answer; "" shows none.
func (p *painter) status(line string) error {
	p.resized()
	if line == p.statusRow {
		return nil
	}
	p.statusRow = line
	return p.draw()
}

// end completes the unit.
func (p *painter) end() error {
	p.resized()
	p.statusRow = ""
	err := p.complete()
	if err == nil {
		err = p.foot.set(nil)
	}
	p.blocks, p.follows, p.plain = blocks{}, false, false
	return err
}
