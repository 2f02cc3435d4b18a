# make demo      builds the gateway and the client and demonstrates them in a folder that is removed afterwards
# make test      runs every test: first the module tests, then the system tests, then the crash tests
# make crash     runs only the crash tests: they kill both programs and simulate power failures at hundreds of points; some minutes
# make failover  runs the system test with three gateways, two databases and two proxies for long: 200 gateways and 20 primaries are
#                killed; about 15 minutes. LATCHSTRING_FAILOVER_KILLS=20 is shorter
# make sanitize  runs the module tests under the thread and the address sanitizer: some minutes, without the first builds
# make loop-time sends the most expensive requests to every route of a build with optimization: none may block an event loop
#                for 50 ms; some minutes
# make fuzz      feeds random input to every parser of external input, FUZZ_SECONDS=20 each; FUZZ="form json" selects
# make check     the checks that a change must pass: format, warnings, tests, release build
# make docs      creates web sites of the articles and documentation comments of LatchKit and LatchDownloads; part of `make lint`
# make bench     compares the gateway with nginx, fastapi-users, glewlwyd and mod_auth_openidc; ARGS="--quick" takes a minute,
#                see Benchmarks/README.md
# make rotation  refreshes at the gateway, django-allauth and glewlwyd while responses are lost, programs are killed and
#                tokens are stolen: about an hour; ARGS="--quick" takes a minute, see Benchmarks/README.md
# make app       builds the desktop app in .build/desktop
# make test-app  runs the tests of its window, with a display and a session bus of their own
# make demo-app  shows the desktop app with a sandbox, in folders that are removed afterwards
# make install   installs latch, latchd, its units of systemd and the action of polkit below PREFIX (and DESTDIR), and latch-desktop if GTK is there
PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=
FUZZ ?=
FUZZ_SECONDS ?= 20
RELEASE = swift build --configuration release --static-swift-stdlib

.PHONY: app test-app demo-app bench rotation demo docs test crash failover sanitize loop-time fuzz check lint build release install clean

demo:
	@scripts/require build demo
	@swift build --quiet
	@scripts/demo "$$(swift build --show-bin-path)"

test:
	@scripts/require build test
	@scripts/test

crash:
	@scripts/require build test
	@scripts/test crash

failover:
	@scripts/require build test
	@scripts/test failover

sanitize:
	@scripts/require build test
	scripts/sanitize

loop-time:
	@scripts/require build test
	swift test --configuration release -Xswiftc -enable-testing --scratch-path .build/loop-time --filter LoopTimeTests

fuzz:
	@scripts/require build
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz $(FUZZ)

lint:
	swift format lint --strict --recursive Package.swift Apps Fuzz Sources Tests
	@scripts/lint
	@scripts/lint-app
	@scripts/require build lint
	@scripts/declarations
	@scripts/apple
	@scripts/docs

app:
	@scripts/require build app
	@scripts/build-app --product latch-desktop

test-app:
	@scripts/require build app test
	@scripts/test-app

demo-app:
	@scripts/require build app
	@scripts/demo-app

docs:
	@scripts/require build
	@scripts/docs

check: lint test release

bench:
	@scripts/require build bench
	@Benchmarks/bench $(ARGS)

rotation:
	@scripts/require build rotation
	@Benchmarks/rotation $(ARGS)

release:
	@scripts/require build
	$(RELEASE) --product latch
	$(RELEASE) --product latchd

install: release
	scripts/install "$$($(RELEASE) --show-bin-path)" "$(DESTDIR)$(PREFIX)" "$(PREFIX)"
	@if pkg-config --exists libadwaita-1; then scripts/install-app "$(DESTDIR)$(PREFIX)" "$(PREFIX)"; fi

clean:
	swift package clean
	rm -rf .build/sanitize-* .build/fuzz .build/desktop .build/apple
