import FoundationEssentials
import HTTPMessages
import JOSE
import Testing

@testable import AuthorizationServer

@Suite("ID tokens as hints")
struct IDTokenHintTests {
    @Test("OpenID Connect Core §3.1.2.1 only this server's ID tokens are read, and ids only as this server writes them")
    func claims() throws {
        let (issuer, key) = ("https://id.example.org", try SigningKey.generate(.es256))
        let keys = JSONWebKeySet([key.publicKey])
        func hint(_ changes: [(String, JSONValue)] = [], type: String = "JWT", key: SigningKey = key) throws
            -> IDTokenHint?
        {
            let members: [(String, JSONValue)] = [
                ("iss", .string(issuer)), ("aud", "app"), ("sub", "2f2504e0-4f89-41d3-9a0c-0382c0e50300"),
            ]
            let all = members.filter { member in !changes.contains { $0.0 == member.0 } } + changes
            let payload = JSONValue.object(all.map { .init($0.0, $0.1) }).encoded()
            return IDTokenHint(try key.sign(payload: payload, type: type), issuer: issuer, keys: keys)
        }
        let read = try #require(try hint())
        #expect(read.client == "app" && read.session == nil)
        #expect(read.person == UUID(uuidString: "2F2504E0-4F89-41D3-9A0C-0382C0E50300"))
        let wrong: [(String, JSONValue)] = [
            ("iss", "https://id.example.org/"), ("iss", 1), ("aud", ["app"]), ("aud", .null), ("sub", "ada"),
            ("sub", "2f2504e0-4f89-41d3-9a0c-0382c0e5-300"), ("sub", "2F2504E0-4F89-41D3-9A0C-0382C0E50300"),
        ]
        for (name, value) in wrong { #expect(try hint([(name, value)]) == nil, "\(name) \(value)") }
        for type in ["logout+jwt", "at+jwt", "dpop+jwt"] { #expect(try hint(type: type) == nil, "\(type)") }
        #expect(try hint(key: .generate(.es256, keyID: key.publicKey.keyID)) == nil)
    }
}
