import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20))) struct AccountPageTests {
    private static let account = "/latch/account"

    @Test("a person who is not signed in is redirected to the sign-in, and back afterwards")
    func signInFirst() async throws {
        try await GatewayFixture.withPages { fixture in
            let response = try await PageBrowser(fixture).get(Self.account)

            #expect(response.status == 303)
            #expect(response.headers["Location"] == "/latch/sign-in?return=%2Flatch%2Faccount")
        }
    }

    @Test("people see only their own devices: name, kind, address, times, and which is this one")
    func devices() async throws {
        try await GatewayFixture.withPages { fixture in
            try await fixture.addPerson("bob@example.org", password: "bob's own 77")
            _ = try await fixture.login(headers: [("deviceModel", "Ada's <phone>"), ("deviceType", "iPhone")])
            _ = try await fixture.login(
                "bob@example.org", password: "bob's own 77", headers: [("deviceModel", "Bob's desk")])
            fixture.clock.advance(2 * hour)
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()

            let text = try await ada.get(Self.account).text

            #expect(text.contains("Ada&#39;s &lt;phone&gt;") && !text.contains("Bob"))
            #expect(text.contains("&lt;phone&gt; (iPhone)") && text.contains("127.0.0.1 (this machine)"))
            #expect(text.contains("2 hours ago</time>") && text.contains("datetime=\"2026-"))
            #expect(text.components(separatedBy: "This device").count == 2)
        }
    }

    @Test("a device is signed out at once, and another person's session cannot be ended")
    func endDevice() async throws {
        try await GatewayFixture.withPages { fixture in
            try await fixture.addPerson("bob@example.org", password: "bob's own 77")
            let phone = try await fixture.token()
            let bobs = try #require(try await fixture.login("bob@example.org", password: "bob's own 77").token)
            let sessions = try await fixture.gateway.stores.sessions.list()
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()

            let bob = try #require(sessions.first { $0.email == "bob@example.org" }?.id)
            let token = try await ada.token(on: Self.account)
            _ = try await ada.post("\(Self.account)/devices/\(bob)/end", [(FormTokens.field, token)])
            #expect(try await fixture.me(bobs).status == 200)

            let id = try #require(sessions.first { $0.email == GatewayFixture.email }?.id)
            let response = try await ada.submit("\(Self.account)/devices/\(id)/end", on: Self.account)
            #expect(response.status == 303)
            #expect(try await fixture.me(phone).status == 403)
            #expect(try await ada.get(response.headers["Location"] ?? "").text.contains("The device is signed out."))
        }
    }

    @Test("all other devices are signed out at once, only after a recent sign-in; this device stays signed in")
    func endOthers() async throws {
        try await GatewayFixture.withPages { fixture in
            let phone = try await fixture.token()
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            fixture.clock.advance(11 * minute)

            let late = try await ada.submit("\(Self.account)/devices/end-others", on: Self.account)
            #expect(late.headers["Location"] == "/latch/sign-in?return=%2Flatch%2Faccount&again=1")
            #expect(try await fixture.me(phone).status == 200)

            _ = try await ada.submit(
                "/latch/sign-in", on: late.headers["Location"] ?? "", [("password", GatewayFixture.password)])
            _ = try await ada.submitAndConfirm("\(Self.account)/devices/end-others", on: Self.account)
            #expect(try await fixture.me(phone).status == 403)
            #expect(try await ada.get(Self.account).status == 200)
            #expect(try await fixture.gateway.stores.sessions.liveCount() == 1)
        }
    }

    @Test("a password change requires the current one, ends every other session and renews this one")
    func password() async throws {
        try await GatewayFixture.withPages { fixture in
            let phone = try await fixture.token()
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            let before = ada.browser.cookies["latchd_session"]
            func change(_ current: String, _ new: String, _ repeated: String) async throws -> Exchange.Response {
                try await ada.submit(
                    "\(Self.account)/password", on: Self.account,
                    [("current", current), ("new", new), ("repeated", repeated)])
            }

            let wrong = try await change("not hers 77", "new words 77", "new words 77")
            #expect(wrong.status == 403 && wrong.text.contains("This is not your current password."))
            let weak = try await change(GatewayFixture.password, "short", "short")
            #expect(weak.status == 422 && weak.text.contains("at least 8 characters"))
            let other = try await change(GatewayFixture.password, "new words 77", "new words 78")
            #expect(other.status == 422 && other.text.contains("do not match"))
            #expect(try await fixture.me(phone).status == 200)

            #expect(try await change(GatewayFixture.password, "new words 77", "new words 77").status == 303)
            #expect(try await fixture.me(phone).status == 403)
            #expect(try await fixture.me(before).status == 403)
            #expect(try await ada.get(Self.account + "?done=password").text.contains("Your password is changed"))
            #expect(try await fixture.login(password: "new words 77").status == 200)
            #expect(fixture.lines.audit.contains { $0["event"]?.string == "password-changed" && $0["actor"] != nil })
        }
    }

    @Test("a guess at the current password counts as a failed sign-in")
    func guesses() async throws {
        try await GatewayFixture.withPages({ $0.accountLimit.attempts = 2 }) { fixture in
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            for _ in 0..<2 {
                _ = try await ada.submit(
                    "\(Self.account)/password", on: Self.account,
                    [("current", "guess"), ("new", "new words 77"), ("repeated", "new words 77")])
            }

            #expect(try await fixture.login().status == 429)
        }
    }

    @Test("the rules for a new password are shown before a mistake")
    func hint() async throws {
        try await GatewayFixture.withPages { fixture in
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            let text = try await ada.get(Self.account).text
            #expect(text.contains("8 to 64 characters.") && text.contains(#"aria-describedby="new-hint""#))
        }
        let strict = PasswordPolicy(minimumLength: 12, requiresUppercase: true, requiresDigit: true)
        #expect(strict.hint == "12 to 64 characters, with an upper-case letter and a digit.")
    }

    @Test(
        "a device has a readable title",
        arguments: [
            ("immich-android/3.1.0", "Android", "Immich on Android"), ("Immich_iOS_2.0.0", nil, "Immich on iOS"),
            ("Chrome", "Linux", "Chrome on Linux"), ("Dart/3.5 (dart:io)", nil, "An app"), ("curl/8.5.0", nil, "curl"),
            ("Ada's phone", "iPhone", "Ada's phone (iPhone)"), ("Ada's iPhone", "iPhone", "Ada's iPhone"),
            (nil, "Android", "A device with Android"),
            ("Dartboard", "App", "Dartboard (app)"), (nil, nil, "Unknown device"), (nil, "Browser", "A browser"),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Browser", "Firefox on Linux"),
        ] as [(String?, String?, String)])
    func title(_ name: String?, _ kind: String?, _ words: String) {
        #expect(
            DeviceTitles(apps: ImmichSettings().appTitles).title(of: SessionDevice(name: name, kind: kind)) == words)
    }

    @Test("signing out ends only this session")
    func signOut() async throws {
        try await GatewayFixture.withPages { fixture in
            let phone = try await fixture.token()
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            let token = ada.browser.cookies["latchd_session"]

            let response = try await ada.submit("/latch/sign-out", on: Self.account)

            #expect(response.status == 303 && response.headers["Location"] == "/latch/sign-in?done=out")
            #expect(ada.browser.cookies["latchd_session"] == nil)
            #expect(try await fixture.me(token).status == 403)
            #expect(try await fixture.me(phone).status == 200)
        }
    }
}

extension AccountPageTests {
    private static let pin = "\(account)/pin"

    @Test("IM-15 a PIN is set, then changed and removed with the current one; a wrong one changes nothing")
    func pin() async throws {
        try await GatewayFixture.withPages({ $0.immich.isEnabled = true }) { fixture in
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            let person = try await fixture.gateway.stores.people.require(GatewayFixture.email).id
            let pins = fixture.gateway.stores.pins
            func type(_ current: String?, _ pin: String, _ repeated: String) async throws -> Exchange.Response {
                try await ada.submit(
                    Self.pin, on: Self.account,
                    (current.map { [("current_pin", $0)] } ?? []) + [("pin", pin), ("repeated_pin", repeated)])
            }

            #expect(try await type(nil, "12ab56", "12ab56").status == 422)
            #expect(try await type(nil, "123456", "123457").status == 422)
            #expect(try await pins.isSet(person) == false)
            #expect(try await type(nil, "123456", "123456").status == 303)
            #expect(try await pins.check(PIN("123456"), of: person) == .right)

            #expect(try await type("654321", "111111", "111111").status == 403)
            #expect(try await pins.check(PIN("123456"), of: person) == .right)
            #expect(try await type("123456", "222222", "222222").status == 303)
            #expect(try await pins.check(PIN("222222"), of: person) == .right)

            fixture.clock.advance(11 * minute)
            let late = try await ada.submit("\(Self.pin)/remove", on: Self.account)
            #expect(late.headers["Location"]?.hasSuffix("&again=1") == true)
            #expect(try await pins.isSet(person))
        }
    }

    @Test("IM-15 guesses at the current PIN are limited")
    func guessedPIN() async throws {
        try await GatewayFixture.withPages({ $0.immich.isEnabled = true }) { fixture in
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            let person = try await fixture.gateway.stores.people.require(GatewayFixture.email).id
            try await fixture.gateway.stores.pins.set(PIN("123456"), of: person)
            var last = 0
            for _ in 0...PINStore.limit.attempts {
                last = try await ada.submit(
                    Self.pin, on: Self.account,
                    [("current_pin", "000000"), ("pin", "111111"), ("repeated_pin", "111111")]
                ).status
            }

            #expect(last == 429)
            let removed = try await ada.submitAndConfirm("\(Self.pin)/remove", on: Self.account)
            #expect(removed.headers["Location"] == "/latch/account?done=no-pin")
            #expect(try await fixture.gateway.stores.pins.isSet(person) == false)
        }
    }
}
