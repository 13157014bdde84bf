# The command alone, for the bench page and agents:
#
#	docker build -t gonb-cope .
#	docker run -v "$PWD/days:/data" -p 8080:8080 gonb-cope campaign serve /data --listen :8080 --plain
#	docker run gonb-cope agent --run wells --task oslo --server nats://host:4222 --http http://rig:8000
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w -buildid=" -o /out/gonb-cope ./cmd/gonb-cope \
	&& mkdir -p /out/tmp /out/data && chmod 1777 /out/tmp && chown 65532:65532 /out/data

# No shell, no package manager: the program is static.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/tmp /tmp
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build /out/gonb-cope /gonb-cope
COPY LICENSE cmd/gonb-cope/THIRD_PARTY_LICENSES /
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/gonb-cope"]
