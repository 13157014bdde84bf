package report

import "strings"

// Bundle is one display in the representations that a notebook front end may
// choose from, by media type: text/plain and text/html always, image/svg+xml for
// figures. JSON is not among them, because JupyterLab would prefer it to all
// others. The id must be unique in the notebook.
func Bundle(d Display, id string) (map[string]string, error) {
	var plainText, page strings.Builder
	if err := Text(&plainText, Document{Displays: []Display{{Name: d.Name, Value: d.Value}}}, TextOptions{}); err != nil {
		return nil, err
	}
	if err := Fragment(&page, d, id); err != nil {
		return nil, err
	}
	out := map[string]string{
		"text/plain": strings.TrimRight(plainText.String(), "\n"),
		"text/html":  page.String(),
	}
	if f, ok := plain(d.Value).(Figure); ok {
		var svg strings.Builder
		if err := SVG(&svg, f); err != nil {
			return nil, err
		}
		out["image/svg+xml"] = svg.String()
	}
	return out, nil
}
