package design

import "os"

func init() { trace = os.Getenv("TRACE") != "" }
