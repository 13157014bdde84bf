package jetstream

import (
	"fmt"

	"github.com/nats-io/jwt/v2"
)

// allowed returns what the holder of credentials may publish and subscribe to. Everything else is
// refused by the server: to speak for another, to read another run, another's inbox, to delete,
// to purge, to make or change streams.
func (r Role) allowed(inbox string) jwt.Permissions {
	var p jwt.Permissions
	publish := func(subjects ...string) { p.Pub.Allow.Add(subjects...) }
	if r.Kind == kindServer {
		return p // no limits: the server itself makes the streams
	}
	publish(stateSubject)
	p.Sub.Allow.Add(inbox + ".>")
	switch r.Kind {
	case Agent:
		publish(
			fmt.Sprintf("cope.%s.*.agent-%d", r.Run, r.Number),
			fmt.Sprintf("cope.%s.*.plan", r.Run),
			fmt.Sprintf("cope.%s.*.agent-%d.*", r.Run, r.Number), // beside an address that is taken
			fmt.Sprintf("cope.%s.*.plan.*", r.Run),
			"$JS.API.CONSUMER.CREATE."+factStream+".*."+runSubjects(r.Run),
			"$JS.API.CONSUMER.MSG.NEXT."+factStream+".*",
			directGet+"."+runSubjects(r.Run),
			directGet+".cope-file."+r.Run+".>",
			fileSubject(r.Run, "*", "*"), // a plan of very many arms; whoever fetches it checks the hash
		)
	case Worker:
		publish(
			"cope.*.*."+result+".*",
			"$JS.API.CONSUMER.NAMES."+workStream,
			"$JS.API.CONSUMER.MSG.NEXT."+workStream+".*",
			"$JS.ACK."+workStream+".>", "$JS.ACK.*.*."+workStream+".>",
			doneSubject("*", "*"), directDone+".>",
			directGet+".cope.>", directGet+".cope-file.>",
			"cope-wake.*",
		)
		p.Sub.Allow.Add("cope-wake.*")
	case Owner:
		publish(
			"cope.>", "cope-file.>", "cope-work.>", "cope-done.>", "cope-wake.*",
			"$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.PURGE."+workStream,
			"$JS.API.CONSUMER.CREATE."+factStream+".*.cope.>",
			"$JS.API.CONSUMER.CREATE."+workStream+".*.>", "$JS.API.CONSUMER.DELETE."+workStream+".*",
			"$JS.API.CONSUMER.NAMES.*", "$JS.API.CONSUMER.MSG.NEXT.*.*",
			"$JS.ACK."+workStream+".>", "$JS.ACK.*.*."+workStream+".>",
			directGet, directGet+".>", directDone+".>",
		)
		p.Sub.Allow.Add("cope-wake.*")
	}
	return p
}
