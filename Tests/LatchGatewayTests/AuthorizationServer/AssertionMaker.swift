import FoundationEssentials
import HTTPMessages
import JOSE
import TestSupport

@testable import GatewayCore

/// A client with a key, and the assertions that it signs: valid ones and others.
struct AssertionMaker: Sendable {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    let client: String
    let key: SigningKey

    init(_ client: String, key: SigningKey? = nil) throws {
        self.client = client
        self.key = try key ?? SigningKey.generate(.es256)
    }

    /// The JSON Web Key Set with the public key.
    var keySet: JSONValue { .object([.init("keys", [key.publicJSON])]) }

    /// The client as the gateway knows it.
    func registered(redirects: [String], requiresProof: Bool = false) throws -> RegisteredClient {
        RegisteredClient(
            id: client, name: client, secretHash: nil, redirects: redirects, requiresProof: requiresProof,
            keys: try ClientKeys(String(decoding: keySet.encoded(), as: UTF8.self)).orThrow)
    }

    /// An assertion for the issuer, valid for two minutes. `changes` replace claims; a nil value removes one.
    func assertion(
        at now: Date, type: String = "JWT", _ changes: [(String, JSONValue?)] = []
    ) throws -> String {
        let seconds = now.timeIntervalSince1970.rounded()
        var members: [(String, JSONValue)] = [
            ("iss", .string(client)), ("sub", .string(client)), ("aud", .string(OAuthFixture.issuer)),
            ("iat", .number(seconds)), ("exp", .number(seconds + 120)), ("jti", .string(UUID().uuidString)),
        ]
        for (name, value) in changes {
            members.removeAll { $0.0 == name }
            if let value { members.append((name, value)) }
        }
        return try key.sign(
            payload: JSONValue.object(members.map { JSONValue.Member($0.0, $0.1) }).encoded(), type: type)
    }

    /// The parameters with an assertion.
    func credentials(at now: Date, _ changes: [(String, JSONValue?)] = []) throws -> [(String, String)] {
        Self.credentials(try assertion(at: now, changes))
    }

    static func credentials(_ assertion: String) -> [(String, String)] {
        [("client_assertion_type", type), ("client_assertion", assertion)]
    }
}
