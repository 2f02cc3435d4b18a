import FoundationEssentials
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite("Comparison of identifiers", .timeLimit(.minutes(20)))
struct ExactTextTests {
    /// Two Unicode spellings of one letter, which `String` treats as equal.
    private static let composed = "ren\u{E9}@example.org"
    private static let decomposed = "rene\u{301}@example.org"
    /// The Kelvin sign, which becomes a `k` in lower case.
    private static let kelvin = "vi\u{212A}tor@example.org"

    @Test("Texts that String treats as equal and that differ in bytes are different")
    func bytes() {
        #expect(Self.composed == Self.decomposed)
        #expect(ExactText(Self.composed) != ExactText(Self.decomposed))
        #expect(Set([Self.composed, Self.decomposed].map { ExactText($0) }).count == 2)
        #expect(EmailAddress(normalizing: Self.composed) != EmailAddress(normalizing: Self.decomposed))
    }

    @Test(
        "Only the letters A to Z of an address are lower-cased",
        arguments: [
            ("Ada@EXAMPLE.org", "ada@example.org"), ("vi\u{212A}tor@x.org", "vi\u{212A}tor@x.org"),
            ("\u{C4}@x.org", "\u{C4}@x.org"), (" \u{E4}Z@x.org\n", "\u{E4}z@x.org"), ("\u{130}@x.org", "\u{130}@x.org"),
        ])
    func folding(_ written: String, _ stored: String) {
        #expect(EmailAddress(normalizing: written).text.utf8.elementsEqual(stored.utf8))
    }

    @Test("A person whom an earlier version stored in lower case is found only by the stored address")
    func existing() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            // Earlier versions stored the result of `lowercased()`.
            for stored in ["\u{C4}nne@example.org", "Viktor@example.org", "I\u{307}@example.org"].map({
                $0.lowercased()
            }) {
                let person = try await fixture.addPerson(stored)
                #expect(try await people.find(stored)?.id == person.id)
                #expect(try await fixture.login(stored).status == 200)
            }
            #expect(try await fixture.login("\u{C4}nne@example.org").token == nil)
            #expect(try await fixture.login(Self.kelvin).token == nil)
            #expect(try await fixture.addPerson("\u{C4}nne@example.org").email == "\u{C4}nne@example.org")
        }
    }

    @Test("An address with the Kelvin sign is not linked to the same address with a k")
    func linking() async throws {
        try await GatewayFixture.with { fixture in
            let viktor = try await fixture.addPerson("viktor@example.org")
            let provider = ProviderConfiguration(
                id: "home", kind: .oidc, title: "Home",
                settings: .init(issuer: "https://home.example", clientID: "x", authentication: .none),
                linksByEmail: true, domains: ["ex\u{E4}mple.org", "example.org"])
            func come(_ email: String) async throws -> Person {
                try await fixture.gateway.stores.people.person(
                    for: .init(
                        issuer: "https://home.example", subject: email, email: email, isEmailVerified: true, groups: []),
                    at: provider)
            }
            let kelvinError = await #expect(throws: GatewayError.self) { try await come(Self.kelvin) }
            #expect(kelvinError?.code == .notInvited)
            let decomposedError = await #expect(throws: GatewayError.self) { try await come("a@exa\u{308}mple.org") }
            #expect(decomposedError?.code == .domainRefused)
            #expect(try await come("VIKTOR@example.org").id == viktor.id)
        }
    }

    @Test("A rule for one spelling of a person or a group does not match the other")
    func rules() {
        func person(_ email: String) -> Person {
            Person(
                id: UUID(), email: email, name: nil, created: Date(), sessionEpoch: 0, disabled: nil,
                isAdministrator: false, isVerified: true)
        }
        let members = AccessMembers(users: [Self.composed, "viktor@example.org"], groups: ["caf\u{E9}"])
        #expect(members.contains(person(Self.composed), in: []))
        #expect(!members.contains(person(Self.decomposed), in: []))
        #expect(!members.contains(person(Self.kelvin), in: []))
        #expect(members.contains(person("other@example.org"), in: ["caf\u{E9}"]))
        #expect(!members.contains(person("other@example.org"), in: ["cafe\u{301}"]))
    }
}
