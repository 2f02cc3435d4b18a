import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

@Suite("Identities", .timeLimit(.minutes(20)))
struct IdentityTests: ReadsConfigurations {
    private static func provider(
        _ id: String = "home", links: Bool = false, opens: Bool = false, invites: Bool = false, domains: [String] = []
    ) -> ProviderConfiguration {
        ProviderConfiguration(
            id: id, title: id, settings: ProviderSettings(issuer: "https://\(id).example", clientID: "latch"),
            linksByEmail: links, allowsRegistration: opens, domains: domains, invitedOnly: invites)
    }

    private static func identity(
        _ subject: String = "s-1", _ email: String? = GatewayFixture.email, at provider: String = "home",
        isVerified: Bool = true, name: String? = "Ada L."
    ) -> ProviderIdentity {
        ProviderIdentity(
            issuer: "https://\(provider).example", subject: subject, email: email, isEmailVerified: isVerified,
            name: name)
    }

    private func refusal(
        _ people: PeopleStore, _ identity: ProviderIdentity, _ provider: ProviderConfiguration
    ) async -> GatewayError.Code? {
        let error = await #expect(throws: GatewayError.self) { try await people.person(for: identity, at: provider) }
        return error?.code
    }

    @Test("OX-3 a person is created if that is allowed, and found by the subject if the address changes")
    func registration() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let made = try await people.person(for: Self.identity(), at: Self.provider(opens: true))
            #expect((made.email, made.name, made.isVerified) == (GatewayFixture.email, "Ada L.", true))
            #expect(!made.isAdministrator)
            #expect(try await people.hasPassword(made.id) == false)

            for later in [
                Self.identity("s-1", "new@example.org"), Self.identity("s-1", nil),
                Self.identity("s-1", "x", isVerified: false),
            ] {
                #expect(try await people.person(for: later, at: Self.provider()).id == made.id)
            }
            #expect(try await people.list().count == 1)
            let identities = try await people.identities(of: made.id)
            #expect(identities.map(\.subject) == ["s-1"])
            #expect(identities.map(\.email) == [GatewayFixture.email])
            #expect(
                fixture.lines.audit.contains {
                    $0["event"]?.string == "registered" && $0["provider"]?.string == "home"
                })
        }
    }

    @Test("OX-7 no person is created or linked unless the configuration allows it")
    func closed() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            #expect(await refusal(people, Self.identity(), Self.provider()) == .notInvited)
            #expect(await refusal(people, Self.identity(), Self.provider(links: true)) == .notInvited)
            try await fixture.addPerson()
            #expect(await refusal(people, Self.identity(), Self.provider()) == .identityRefused)
            #expect(await refusal(people, Self.identity(), Self.provider(opens: true)) == .identityRefused)
            #expect(await refusal(people, Self.identity(), Self.provider(invites: true)) == .identityRefused)
            #expect(try await people.identities().isEmpty)
        }
    }

    @Test("an account is linked only by a verified address, and not to a second subject of the same provider")
    func linking() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let ada = try await fixture.addPerson()
            let provider = Self.provider(links: true, opens: true)
            #expect(await refusal(people, Self.identity(isVerified: false), provider) == .emailUnverified)
            #expect(await refusal(people, Self.identity("s-1", nil), provider) == .emailUnverified)
            #expect(await refusal(people, Self.identity("s-1", "no address"), provider) == .invalidEmail)

            #expect(try await people.person(for: Self.identity("s-1", " ADA@example.org"), at: provider).id == ada.id)
            #expect(await refusal(people, Self.identity("s-2"), provider) == .identityRefused)
            // A subject means something together with its issuer only.
            #expect(await refusal(people, Self.identity("s-1", nil, at: "away"), provider) == .emailUnverified)
            let otherProvider = Self.identity("s-1", at: "away")
            let linked = try await people.person(for: otherProvider, at: Self.provider("away", links: true))
            #expect(linked.id == ada.id)
            #expect(try await people.identities(of: ada.id).map(\.provider) == ["away", "home"])
            // The administrator gave the address, so the password stays.
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test(
        "a password and sessions from before the address was verified end when its owner signs in")
    func squatting() async throws {
        try await GatewayFixture.with({ $0.onyx.allowsRegistration = true }) { fixture in
            let people = fixture.gateway.stores.people
            let response = try await fixture.http.send(
                "POST", "/api/auth/register", headers: [("Content-Type", "application/json")],
                body: #"{"email":"\#(GatewayFixture.email)","password":"\#(GatewayFixture.password)"}"#)
            #expect(response.status == 201)
            let token = try await fixture.token()
            let squatter = try await people.require(GatewayFixture.email)
            _ = try await people.rename(squatter.id, to: "Not Ada")
            let clients = fixture.gateway.stores.clients
            let app = try await clients.add(name: "App", redirects: ["a:/b"], isConfidential: false).client
            let grant = ClientGrant(client: app.id, scopes: ["openid"])
            _ = try await clients.allow(grant, by: squatter.id)
            #expect(try await fixture.me(token).status == 200)

            let owner = try await people.person(for: Self.identity(), at: Self.provider(links: true))
            #expect(try await people.list().map(\.id) == [owner.id])
            #expect(owner.name == "Ada L.")
            #expect(try await clients.isAllowed(grant, by: owner.id) == false)
            #expect(try await fixture.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
            #expect(try await fixture.login().status != 200)
            let session = try await fixture.gateway.issuer.issue(for: owner, device: SessionDevice())
            #expect(try await fixture.me(session.token.reveal()).status == 200)
        }
    }

    @Test(
        "an account that only a provider without link_by_email leads to is the owner's once one with it knows the address",
        arguments: ["registered", "invited", "invited, with a password since then"], [false, true])
    func otherProvider(_ origin: String, _ hasOwnIdentity: Bool) async throws {
        let trusted = Self.provider("trusted", links: true)
        let open = Self.provider("open", opens: true)
        let third = Self.provider("third", links: true)
        try await GatewayFixture.with({ $0.providers = [trusted, open, third] }) { fixture in
            let people = fixture.gateway.stores.people
            let other = Self.identity("s-7", at: "open", name: "Not Ada")
            if origin != "registered" { _ = try await people.invite(email: GatewayFixture.email) }
            let first = try await people.person(for: other, at: open)
            #expect(first.provedAddress != nil)
            if origin.contains("password") {
                _ = try await people.setPassword(Secret(GatewayFixture.password), of: first.id)
            }
            // As 'POST /oauth/link' does, with an identity of the person who uses the account.
            if hasOwnIdentity {
                try await people.link(first.id, to: "s-8", at: trusted, allowsUnseen: true, unproved: .kept)
            }

            let owner = try await people.person(for: Self.identity("s-1", at: "trusted"), at: trusted)
            #expect(owner.id == first.id && owner.name == "Ada L.")
            #expect(try await people.identities(of: owner.id).map(\.subject) == ["s-1"])
            #expect(try await people.hasPassword(owner.id) == false)

            // Once the owner has signed in, another provider that links by address adds itself.
            #expect(try await people.person(for: Self.identity("s-3", at: "third"), at: third).id == owner.id)
            #expect(try await people.identities(of: owner.id).count == 2)
            #expect(await refusal(people, other, open) == .identityRefused)
        }
    }

    @Test("a provider that is disabled counts as it is configured, not as it was before")
    func disabledProvider() async throws {
        let new = Self.provider("new", links: true)
        let text = """
            providers:
              old: {enabled: false, issuer: "https://old.example", client_id: latch, link_by_email: false}
              new: {issuer: "https://new.example", client_id: latch, client_authentication: none, link_by_email: true}
            """
        let disabled = try readSettings(text).disabledProviders
        #expect(disabled.map(\.id) == ["old"] && disabled.allSatisfy { !$0.linksByEmail })
        try await GatewayFixture.with({
            $0.providers = [new]
            $0.disabledProviders = disabled
        }) { fixture in
            let people = fixture.gateway.stores.people
            let old = Self.provider("old", opens: true)
            let person = try await people.person(for: Self.identity("taker", at: "old"), at: old)
            #expect(try await people.person(for: Self.identity("s-2", at: "new"), at: new).id == person.id)
            #expect(try await people.identities(of: person.id).map(\.provider) == ["new"])
        }
    }

    @Test("a start records which providers link by address, also the disabled ones")
    func recordedTrust() async throws {
        let folder = try TemporaryDirectory()
        var settings = try await GatewayFixture.settings(in: folder)
        settings.providers = [Self.provider("new", links: true)]
        settings.disabledProviders = [Self.provider("old", links: true)]
        for links in [true, false] {
            settings.disabledProviders[0].linksByEmail = links
            let gateway = try await Gateway.open(settings, logWriter: LogWriter { _ in })
            let trust = try await gateway.stores.database.read { try $0.all(IdentityStatements.trust) }
            await gateway.close()
            let stored = Dictionary(uniqueKeysWithValues: trust.map { ($0.key, $0.linksByEmail) })
            #expect(stored == [Self.provider("new").providerKey: true, Self.provider("old").providerKey: links])
        }
    }

    @Test("an account of a removed provider keeps everything if an administrator added it")
    func removedProvider() async throws {
        let new = Self.provider("new", links: true)
        try await GatewayFixture.with({ $0.providers = [new] }) { fixture in
            let people = fixture.gateway.stores.people
            _ = try await fixture.addPerson()
            let old = Self.provider("old", links: true)
            try await people.recordTrust(in: [old])
            let person = try await people.person(for: Self.identity("s-1", at: "old"), at: old)
            #expect(try await people.person(for: Self.identity("s-2", at: "new"), at: new).id == person.id)
            #expect(try await people.identities(of: person.id).map(\.provider) == ["new", "old"])
            #expect(try await people.hasPassword(person.id))
        }
    }

    @Test(
        "what was taken through a provider without link_by_email is the owner's after it was removed or got another issuer",
        arguments: ["removed", "other issuer"], ["registered", "invited"])
    func removedDoubtful(_ change: String, _ origin: String) async throws {
        let new = Self.provider(change == "removed" ? "new" : "old", links: true)
        try await GatewayFixture.with({ $0.providers = [new] }) { fixture in
            let people = fixture.gateway.stores.people
            if origin == "invited" { _ = try await people.invite(email: GatewayFixture.email) }
            let old = ProviderConfiguration(
                id: "old", title: "old",
                settings: ProviderSettings(issuer: "https://before.example", clientID: "latch"),
                allowsRegistration: origin == "registered", invitedOnly: origin == "invited")
            try await people.recordTrust(in: [old])
            let first = try await people.person(for: Self.identity("s-1", at: "before", name: "Not Ada"), at: old)
            let owner = try await people.person(for: Self.identity("s-2", at: new.id), at: new)
            #expect(owner.id == first.id && owner.name == "Ada L.")
            #expect(try await people.identities(of: owner.id).map(\.subject) == ["s-2"])
        }
    }

    @Test("the provider's last configuration decides, also if it changed after the identity was linked")
    func changedTrust() async throws {
        let new = Self.provider("new", links: true)
        let withdrawn = Self.provider("old", opens: true)
        try await GatewayFixture.with({ $0.providers = [new, withdrawn] }) { fixture in
            let people = fixture.gateway.stores.people
            let trusted = Self.provider("old", links: true, opens: true)
            // It linked by address once, and does not any more.
            _ = try await people.person(for: Self.identity("s-1", at: "old", name: "Not Ada"), at: trusted)
            let ada = try await people.person(for: Self.identity("s-2", at: "new"), at: new)
            #expect(try await people.identities(of: ada.id).map(\.subject) == ["s-2"])

            // Nobody signed in after it was withdrawn, and before the provider was removed.
            let carol = Self.identity("s-5", "carol@example.org", at: "lost", name: "Not Carol")
            let lost = Self.provider("lost", links: true, opens: true)
            _ = try await people.person(for: carol, at: lost)
            try await people.recordTrust(in: [Self.provider("lost", opens: true)])
            let owner = try await people.person(for: Self.identity("s-6", "carol@example.org", at: "new"), at: new)
            #expect(try await people.identities(of: owner.id).map(\.subject) == ["s-6"])

            // It did not, and does since then. Later it is removed: "gone" is in no configuration.
            let bob = Self.identity("s-3", "bob@example.org", at: "gone")
            let first = try await people.person(for: bob, at: Self.provider("gone", opens: true))
            try await people.recordTrust(in: [Self.provider("gone", links: true)])
            let later = try await people.person(for: Self.identity("s-4", "bob@example.org", at: "new"), at: new)
            #expect(later.id == first.id)
            #expect(try await people.identities(of: later.id).map(\.subject) == ["s-3", "s-4"])
        }
    }

    @Test(
        "an invited person has no password and is linked once by a provider that accepts invited people")
    func invited() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let ada = try await people.invite(email: GatewayFixture.email)
            #expect(try await fixture.login(password: "").status != 200)
            #expect(await refusal(people, Self.identity(), Self.provider()) == .identityRefused)
            #expect(
                await refusal(people, Self.identity(isVerified: false), Self.provider(invites: true))
                    == .emailUnverified)
            #expect(
                await refusal(people, Self.identity("s", "bob@example.org"), Self.provider(invites: true))
                    == .notInvited)
            let linked = try await people.person(for: Self.identity(), at: Self.provider(invites: true))
            #expect((linked.id, linked.name) == (ada.id, "Ada L."))
            // The invitation is used up.
            let away = Self.identity("s-9", at: "away")
            #expect(await refusal(people, away, Self.provider("away", invites: true)) == .identityRefused)
            #expect(await refusal(people, Self.identity("s-2"), Self.provider(invites: true)) == .identityRefused)
        }
    }

    @Test("OX-7 the error suggests linking by hand only if it helps", arguments: [true, false])
    func advice(_ hasDomains: Bool) async throws {
        try await GatewayFixture.with { fixture in
            let provider = Self.provider(opens: true, domains: hasDomains ? ["example.org"] : [])
            let identity = ProviderIdentity(
                issuer: provider.settings.issuer, subject: "ada-1", email: "ada@example.org", isEmailVerified: false)
            let error = await #expect(throws: GatewayError.self) {
                try await fixture.gateway.stores.people.person(for: identity, at: provider)
            }
            #expect(error?.code == .emailUnverified)
            #expect(error?.message.contains("latchd user link") == !hasDomains)
        }
    }

    @Test("the domain is checked at every sign-in, and only a verified address has one")
    func domains() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let provider = Self.provider(opens: true, domains: ["example.org"])
            _ = try await people.person(for: Self.identity(), at: provider)
            for (email, isVerified, code) in [
                ("ada@evil.org", true, GatewayError.Code.domainRefused), ("ada@sub.example.org", true, .domainRefused),
                ("a@example.org@evil.org", true, .domainRefused), (GatewayFixture.email, false, .emailUnverified),
            ] {
                for subject in ["s-1", "s-2"] {
                    let identity = Self.identity(subject, email, isVerified: isVerified)
                    #expect(await refusal(people, identity, provider) == code, "\(email)")
                }
            }
            #expect(try await people.list().count == 1)
        }
    }

    @Test("a disabled person is refused, whether linked already or not yet")
    func disabled() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let provider = Self.provider(links: true, opens: true)
            let ada = try await people.person(for: Self.identity(), at: provider)
            let bob = try await fixture.addPerson("bob@example.org")
            for person in [ada, bob] { try await people.disable(person.id) }
            #expect(await refusal(people, Self.identity(), provider) == .personDisabled)
            #expect(await refusal(people, Self.identity("b", "bob@example.org"), provider) == .personDisabled)
            #expect(try await people.identities(of: bob.id).isEmpty)
            try await people.enable(ada.id)
            #expect(try await people.person(for: Self.identity(), at: provider).id == ada.id)
        }
    }

    @Test("many concurrent first sign-ins of one person at two gateways create one person")
    func race() async throws {
        try await GatewayFixture.with { fixture in
            let other = try await fixture.otherProcess()
            let provider = Self.provider(opens: true)
            let ids = try await withThrowingTaskGroup { group in
                for number in 0..<64 {
                    let people = number % 2 == 0 ? fixture.gateway.stores.people : other.people
                    group.addTask { try await people.person(for: Self.identity(), at: provider).id }
                }
                return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await other.people.list().count == 1)
            #expect(try await other.people.identities().values.flatMap { $0 }.count == 1)
            await other.close()
        }
    }

    @Test("of several concurrent subjects with one new address, only one is accepted")
    func rivals() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let provider = Self.provider(links: true, opens: true)
            let count = await withTaskGroup { group in
                for number in 0..<32 {
                    group.addTask {
                        (try? await people.person(for: Self.identity("s-\(number)"), at: provider)) != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(count == 1)
        }
    }

    @Test("identities are deleted with the person or by unlinking, which ends the sessions")
    func removal() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let provider = Self.provider(links: true, opens: true)
            let ada = try await fixture.addPerson()
            _ = try await people.person(for: Self.identity(), at: provider)
            let token = try await fixture.token()
            #expect(try await people.unlink(ada.id, from: "home") == 1)
            #expect(try await fixture.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
            #expect(try await people.unlink(ada.id, from: "home") == 0)
            #expect(try await people.person(for: Self.identity("s-2"), at: provider).id == ada.id)
            try await people.remove(ada.id)
            #expect(try await people.identities().isEmpty)
            #expect(try await people.person(for: Self.identity(), at: provider).id != ada.id)
        }
    }

    @Test("an administrator may link a person to a subject once, whatever the configuration allows")
    func linkedByHand() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let (ada, bob) = (try await fixture.addPerson(), try await fixture.addPerson("bob@example.org"))
            try await people.link(ada.id, to: "s-1", at: Self.provider(), allowsUnseen: true)
            #expect(try await people.person(for: Self.identity("s-1", nil), at: Self.provider()).id == ada.id)
            for (person, subject) in [(bob, "s-1"), (ada, "s-1"), (ada, "s-2")] {
                let error = await #expect(throws: GatewayError.self) {
                    try await people.link(person.id, to: subject, at: Self.provider(), allowsUnseen: true)
                }
                #expect(error?.code == .identityRefused)
            }
            let unlinkError = await #expect(throws: GatewayError.self) {
                try await people.link(UUID(), to: "s-3", at: Self.provider(), allowsUnseen: true)
            }
            #expect(unlinkError?.code == .unknownPerson)
        }
    }

    @Test(
        "OX-7 a link to an account that nobody proved is refused, replaces its sign-in methods or keeps them",
        arguments: [UnprovedAccountHandling.refused, .replaced, .kept])
    func unprovedLinkedByHand(_ handling: UnprovedAccountHandling) async throws {
        try await GatewayFixture.with({ $0.onyx.allowsRegistration = true }) { fixture in
            let stores = fixture.gateway.stores
            let people = stores.people
            #expect(
                try await fixture.http.send(
                    "POST", "/api/auth/register", headers: [("Content-Type", "application/json")],
                    body: #"{"email":"\#(GatewayFixture.email)","password":"\#(GatewayFixture.password)"}"#
                ).status == 201)
            let token = try await fixture.token()
            let person = try await people.require(GatewayFixture.email)
            try await people.link(person.id, to: "first", at: Self.provider(), allowsUnseen: true, unproved: .kept)
            try await stores.pins.set(PIN("123456"), of: person.id)
            _ = try await stores.apiKeys.create(for: person, name: "a key", scopes: ["app"], maximum: 10)

            var code: GatewayError.Code?
            do {
                let isReplaced = try await people.link(
                    person.id, to: "s-1", at: Self.provider("away"), allowsUnseen: true, unproved: handling)
                #expect(isReplaced == (handling == .replaced))
            } catch let error as GatewayError {
                code = error.code
                #expect(error.message.contains("neither an administrator nor a provider"))
            }
            #expect(code == (handling == .refused ? .addressUnproved : nil))

            let subjects = try await people.identities(of: person.id).map(\.subject).sorted()
            let isReplaced = handling == .replaced
            #expect(subjects == [.refused: ["first"], .replaced: ["s-1"], .kept: ["first", "s-1"]][handling])
            #expect(try await people.hasPassword(person.id) != isReplaced)
            #expect(try await (fixture.login().status == 200) != isReplaced)
            #expect(try await (fixture.me(token).status == 200) != isReplaced)
            #expect(try await stores.pins.isSet(person.id) != isReplaced)
            #expect(try await stores.apiKeys.list(of: person.id).isEmpty == isReplaced)
            #expect(try await people.require(GatewayFixture.email).hasProvedAddress == isReplaced)
            let events = fixture.lines.audit.filter { $0["reason"]?.string == "removed-unproved" }
            #expect(events.count == (isReplaced ? 1 : 0))
            guard isReplaced else { return }
            // The address is confirmed now, so that another provider of the same person removes nothing.
            try await people.link(person.id, to: "s-2", at: Self.provider(), allowsUnseen: true)
            #expect(try await people.identities(of: person.id).count == 2)
        }
    }

    @Test(
        "OX-7 a provider that does not link by address proves no account for a link by hand", arguments: [true, false])
    func linkedByHandAfterOtherProvider(isTrusted: Bool) async throws {
        try await GatewayFixture.with({ settings in
            settings.providers = [Self.provider("other", links: isTrusted, opens: true), Self.provider("work")]
        }) { fixture in
            let people = fixture.gateway.stores.people
            let person = try await people.person(
                for: Self.identity("taker", at: "other"), at: Self.provider("other", links: isTrusted, opens: true))
            #expect(person.hasProvedAddress)
            func link(_ handling: UnprovedAccountHandling) async throws -> Bool {
                try await people.link(
                    person.id, to: "ada", at: Self.provider("work"), allowsUnseen: true, unproved: handling)
            }
            guard !isTrusted else {
                #expect(try await !link(.refused))
                #expect(try await people.identities(of: person.id).count == 2)
                return
            }
            let error = await #expect(throws: GatewayError.self) { try await link(.refused) }
            #expect(error?.code == .addressUnproved)
            #expect(try await link(.replaced))
            #expect(try await people.identities(of: person.id).map(\.subject) == ["ada"])
        }
    }

    @Test("a link by hand that is refused leaves an unproved account as it was")
    func refusedLink() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let owner = try await fixture.addPerson("bob@example.org")
            try await people.link(owner.id, to: "s-1", at: Self.provider(), allowsUnseen: true)
            let ada = try await people.add(
                email: GatewayFixture.email, name: nil, isAdministrator: false,
                password: Secret(GatewayFixture.password), recording: AuditEvent(.registered))
            try await people.link(ada.id, to: "own", at: Self.provider(), allowsUnseen: true, unproved: .kept)
            for subject in ["s-1", "own"] {
                let error = await #expect(throws: GatewayError.self) {
                    try await people.link(
                        ada.id, to: subject, at: Self.provider(), allowsUnseen: true, unproved: .replaced)
                }
                #expect(error?.code == .identityRefused)
                #expect(try await people.hasPassword(ada.id))
                #expect(try await people.identities(of: ada.id).count == 1)
            }
        }
    }

    @Test("a subject without a sign-in is linked by hand only with force; the error lists known subjects")
    func unseenSubject() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let ada = try await fixture.addPerson()
            #expect(await refusal(people, Self.identity("s-7", isVerified: false), Self.provider()) == .emailUnverified)
            let error = await #expect(throws: GatewayError.self) {
                try await people.link(ada.id, to: "?", at: Self.provider())
            }
            #expect(
                error?.code == .unknownIdentity && error?.message.contains("'s-7' (\(GatewayFixture.email))") == true)
            #expect(try await people.identities().isEmpty)

            try await people.link(ada.id, to: "s-7", at: Self.provider())
            #expect(try await people.unlinkedIdentities(limit: 10).isEmpty)
            // A subject that was linked before is known as well.
            try await people.unlink(ada.id, from: "home")
            #expect(try await people.unlinkedIdentities(limit: 10).map(\.subject) == ["s-7"])
            try await people.link(ada.id, to: "s-7", at: Self.provider())
        }
    }

    @Test("a bounded number of unlinked identities is stored, each once, and no longer than ended sessions")
    func boundedIdentities() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            for number in 0..<(UnlinkedIdentity.capacity + 5) {
                fixture.clock.advance(1)
                _ = try? await people.person(for: Self.identity("s-\(number)", isVerified: false), at: Self.provider())
            }
            fixture.clock.advance(1)
            _ = try? await people.person(for: Self.identity("s-9", isVerified: false), at: Self.provider())
            let unlinked = try await people.unlinkedIdentities(limit: 10_000)
            #expect(unlinked.count == UnlinkedIdentity.capacity && unlinked.first?.subject == "s-9")
            #expect(!unlinked.contains { $0.subject == "s-0" })

            fixture.clock.advance(400 * day)
            await fixture.gateway.purge()
            #expect(try await people.unlinkedIdentities(limit: 10).isEmpty)
        }
    }

    @Test("unlinked identities of one provider do not displace those of others")
    func boundedIdentitiesByProvider() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            var other = Self.provider()
            other.id = "other"
            _ = try? await people.person(for: Self.identity("colleague", isVerified: false), at: Self.provider())
            for number in 0..<(UnlinkedIdentity.capacity + 5) {
                fixture.clock.advance(1)
                _ = try? await people.person(for: Self.identity("bot-\(number)", isVerified: false), at: other)
            }
            let unlinked = try await people.unlinkedIdentities(limit: 10_000)
            #expect(unlinked.count == UnlinkedIdentity.capacity)
            #expect(unlinked.filter { $0.provider == "home" }.map(\.subject) == ["colleague"])
            #expect(unlinked.first?.subject == "bot-\(UnlinkedIdentity.capacity + 4)")
        }
    }
}
