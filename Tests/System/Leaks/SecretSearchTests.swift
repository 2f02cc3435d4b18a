import Foundation
import Testing

/// The search that other tests rely on finds what it must.
@Suite struct SecretSearchTests {
    static let secret = #"Käse "& brot\+ 7391 grün=%"#
    static let token = "q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c"

    /// Spellings made by other code than the search's own.
    static let planted: [(String, Data)] = [secret, token].flatMap { text -> [(String, Data)] in
        let bytes = Data(text.utf8)
        let json = (try? JSONSerialization.data(withJSONObject: [text])) ?? Data()
        let unreserved = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        let base64 = (0..<3).map { (Data(repeating: 0x5A, count: $0) + bytes).base64EncodedData() }
        let url = base64.map(urlSafe)
        var all: [(String, Data)] = [
            ("plain", bytes), ("reversed", Data(bytes.reversed())), ("first characters", bytes.prefix(12)),
            ("last characters", bytes.suffix(12)), ("some of the middle", bytes.dropFirst(4).prefix(18)),
            ("hexadecimal", formatted(bytes, "%02x")), ("HEXADECIMAL", formatted(bytes, "%02X")),
            ("percent", Data((text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "").utf8)),
            ("percent throughout", formatted(bytes, "%%%02x")), ("JSON", json),
            ("JSON throughout", formatted(bytes, "\\u%04x")),
        ]
        for shift in 0..<3 { all += [("base64 \(shift)", base64[shift]), ("base64url \(shift)", url[shift])] }
        return all
    }

    private static func urlSafe(_ base64: Data) -> Data {
        let text = String(decoding: base64, as: UTF8.self)
        return Data(text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "").utf8)
    }

    private static func formatted(_ bytes: Data, _ format: String) -> Data {
        Data(bytes.map { String(format: format, Int($0)) }.joined().utf8)
    }

    @Test("a planted secret is found in every encoding and position, completely or in part", arguments: planted)
    func found(_ name: String, _ spelled: Data) {
        let search = SecretSearch([("secret", Self.secret), ("token", Self.token)])
        for before in 0..<9 {
            let noise = (0..<1_000 + before).map { _ in UInt8.random(in: 0...255) }
            #expect(!search.findings(in: noise + spelled + noise, place: "noise").isEmpty, "\(name) after \(before)")
        }
    }

    @Test("ASCII in UTF-16 and UTF-32 is found in both byte orders")
    func wideCharacters() {
        let search = SecretSearch([("token", Self.token)])
        for encoding in [
            String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
        ] {
            let spelled = Array(Self.token.data(using: encoding) ?? Data())
            #expect(!search.findings(in: [1, 2, 3] + spelled + [4, 5, 6], place: "wide text").isEmpty, "\(encoding)")
        }
    }

    @Test("data without a secret, or with a piece that is too short to be useful, is not reported")
    func notFound() {
        let search = SecretSearch([("secret", Self.secret), ("token", Self.token)])
        let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255) }
        #expect(search.findings(in: noise, place: "noise").isEmpty)
        #expect(search.findings(in: String(Self.token.prefix(8)), place: "a piece").isEmpty)
    }
}
