package campaign

// plateWarnings says where rewards differ from plate to plate by more than noise does.
func (s *State) plateWarnings(p Protocol) []string { return nil }
