package problem

import "slices"

// ofSheet lists the columns of a sheet with one reward a row.
func (l Long) ofSheet() []string { return append(slices.Concat(l.Task, l.Arm), l.Reward) }

// readOwn reads a sheet that has the columns of the long table of a problem in place of task, arm and
// reward, or id with its column of rewards in place of reward. ok is false where the sheet is another.
func (l Long) readOwn(path string, data []byte, sets [][]string) (s *Sheet, set int, ok bool, err error) {
	if l.Reward == "" {
		return nil, 0, false, nil // a result is one reward, and the table counts successes
	}
	for _, wanted := range [][]string{{"id", l.Reward}, l.ofSheet()} {
		t, r, err := openTable(path, LoadOptions{Read: func(string) ([]byte, error) { return data, nil }}, wanted...)
		if err != nil || t.records(r, t.add) != nil || t.header == nil {
			return nil, 0, false, nil // ReadSheet says what is wrong
		}
		t.standardNames("id", "status", "note", "plate", "position", "block", "round")
		_, byID := t.column["id"]
		if !byID && l.complete != nil {
			l.complete(t)
		}
		columns := slices.DeleteFunc(slices.Clone(t.header), func(c string) bool { return slices.Contains(t.read, c) })
		if byID != (wanted[0] == "id") || !hasAll(t, wanted) {
			continue
		}
		if !byID {
			if err := nameArms(t, l); err != nil {
				return nil, 0, false, err
			}
		}
		if _, there := t.column["reward"]; !there || !byID {
			t.column["reward"] = t.column[l.Reward]
		}
		nameMeans(t, l)
		for k, set := range sets {
			if t.require(set...) != nil {
				continue
			}
			named := l.ofSheet()
			for _, name := range []string{l.SD, l.Count} {
				if name != "" {
					named = append(named, name)
				}
			}
			if byID {
				named = []string{l.Reward}
			}
			columns = slices.DeleteFunc(columns, func(c string) bool {
				return slices.ContainsFunc(named, func(name string) bool { return t.column[c] == t.column[name] })
			})
			return sheetOf(t, columns), k, true, nil
		}
	}
	return nil, 0, false, nil
}

// hasAll reports whether there are columns of these names, which are found under them from then on.
func hasAll(t *table, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return findColumn(t, name) != nil })
}

// nameArms adds columns task and arm with the names that the rows of a long table have.
func nameArms(t *table, l Long) error {
	read := map[string]*column{}
	for _, name := range slices.Concat(l.Task, l.Arm) {
		c, err := t.readColumn(name)
		if err != nil {
			return err
		}
		read[name] = c
	}
	for k, of := range [][]string{l.Task, l.Arm} {
		names := &cells{places: t.cells[0].places}
		if len(of) > 0 {
			names.places = t.cells[t.column[of[0]]].places
		}
		for r := range t.lines {
			names.add(nameOf(columnsNamed(read, of), r))
		}
		t.cells = append(t.cells, names)
		t.column[[]string{"task", "arm"}[k]] = len(t.header) + k
	}
	return nil
}

// nameMeans finds the columns of counts and standard deviations of rows that are means.
func nameMeans(t *table, l Long) {
	if l.Count != "" && findColumn(t, l.Count) == nil {
		t.column["count"], t.column["mean"] = t.column[l.Count], t.column["reward"]
		delete(t.column, "reward")
	}
	if l.SD != "" && findColumn(t, l.SD) == nil {
		t.column["sd"] = t.column[l.SD]
	}
}

// sheetOf returns the table as a sheet with these columns.
func sheetOf(t *table, columns []string) *Sheet {
	s := &Sheet{Columns: columns, table: t}
	for r, line := range t.lines {
		s.Rows = append(s.Rows, SheetRow{Line: int(line), row: r, sheet: s})
	}
	return s
}
