import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayDialects
@testable import LatchGateway

/// An app that asks for the start itself, before its browser comes, and so knows the state.
@Suite("States in Time Tracker's apps", .timeLimit(.minutes(20)))
struct TimeTrackerStateTests {
    private static let ways = TimeTrackerSettings.Callback.allCases
    private static let start = "/tt/auth/login?redirect_uri=timetracker://oauth/callback"

    /// Where the app is told to send its browser, below this server.
    private func place(_ fixture: TimeTrackerFixture) async throws -> String {
        let response = try await fixture.base.http.send("GET", Self.start, headers: [("Accept", "application/json")])
        #expect(response.status == 302 && response.headers["Set-Cookie"] == nil)
        let location = try response.headers["Location"].orThrow
        let origin = "https://latch.example"
        #expect(location.hasPrefix(origin + "/tt/auth/login?redirect_uri="))
        return String(location.dropFirst(origin.utf8.count))
    }

    private func state(_ place: String) throws -> String {
        try FormURLEncoded.decode(String(place.drop { $0 != "?" }.dropFirst()))["state"].orThrow
    }

    @Test(
        "TT-3 the state that the app has seen is returned, and the browser gets the cookie",
        arguments: ways)
    func preservesState(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) { fixture in
            try await fixture.base.addPerson()
            let place = try await place(fixture)
            let state = try state(place)
            let browser = fixture.bridge.browser()
            let response = try await browser.send("GET", place)
            #expect(browser.cookies.isEmpty == (way == .app))
            let request = try fixture.bridge.google.request(response.headers["Location"]).orThrow
            let fields = try fixture.bridge.google.approve(request, .init())
            let link =
                way == .app
                ? FormFields(fields.map { ($0.0, $0.1) })
                : try TimeTrackerFixture.fields(of: try await fixture.returnToGateway(fields, in: browser))
            #expect(link["state"] == state)
            #expect(try await fixture.exchange(link).status == 200)
            #expect(try await fixture.exchange(link).status == 400)
        }
    }

    @Test("TT-3 a state that this server did not create, or that expired, starts no sign-in", arguments: ways)
    func refused(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) { fixture in
            let place = try await place(fixture)
            let state = try state(place)
            let strange = ["", "x", state + "A", String(state.dropLast(2)), State().text]
            for one in strange {
                let response = try await fixture.bridge.browser().send("GET", Self.start + "&state=" + one)
                #expect(response.status == 400, "\(one)")
            }
            #expect(try await fixture.bridge.browser().send("GET", place + "&state=" + state).status == 400)
            fixture.base.clock.advance(601)
            #expect(try await fixture.bridge.browser().send("GET", place).status == 400)
        }
    }

    @Test("TT-3 a browser that starts twice with one state completes the last sign-in", arguments: ways)
    func again(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) { fixture in
            try await fixture.base.addPerson()
            let place = try await place(fixture)
            let browser = fixture.bridge.browser()
            _ = try await browser.send("GET", place)
            let response = try await browser.send("GET", place)
            let request = try fixture.bridge.google.request(response.headers["Location"]).orThrow
            let fields = try fixture.bridge.google.approve(request, .init())
            let link =
                way == .app
                ? FormFields(fields.map { ($0.0, $0.1) })
                : try TimeTrackerFixture.fields(of: try await fixture.returnToGateway(fields, in: browser))
            #expect(try await fixture.exchange(link).status == 200)
        }
    }

    @Test("TT-3 a sign-in with a callback at this server cannot be completed in another browser")
    func otherBrowser() async throws {
        try await TimeTrackerFixture.with(callback: .gateway) { fixture in
            try await fixture.base.addPerson()
            let place = try await place(fixture)
            let response = try await fixture.bridge.browser().send("GET", place)
            let request = try fixture.bridge.google.request(response.headers["Location"]).orThrow
            let fields = try fixture.bridge.google.approve(request, .init())
            #expect(try await fixture.returnToGateway(fields, in: fixture.bridge.browser()).status == 400)
        }
    }
}
