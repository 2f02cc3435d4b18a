// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchKit
import Testing

@testable import LatchApple

/// `Apps/Apple/Info.plist`.
struct PropertyListTests {
    private let list: [String: Any]

    init() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Info.plist")
        let contents = try PropertyListSerialization.propertyList(from: Data(contentsOf: path), format: nil)
        list = try #require(contents as? [String: Any])
    }

    @Test("TT-1 OX-9 RM-5 the custom schemes of all server families are registered, and no others")
    func schemes() throws {
        let types = try #require(list["CFBundleURLTypes"] as? [[String: Any]])
        let schemes = types.flatMap { $0["CFBundleURLSchemes"] as? [String] ?? [] }
        #expect(schemes.sorted() == BrowserSignIn.callbackSchemes.sorted())
    }

    @Test("TT-10 the base address is a key of the list, and its default is the specified one")
    func baseAddress() throws {
        #expect(list["API_BASE_URL"] as? String == "http://localhost:3001")
        let strings = list.compactMapValues { $0 as? String }
        #expect(try ServerAddress.configured(in: strings).url == "http://localhost:3001")
        #expect(
            try ServerAddress.configured(in: ["API_BASE_URL": "https://t.example/team"]).url == "https://t.example/team")
    }

    @Test(
        "DL-13 IM-15 the system's questions have a sentence",
        arguments: [
            "NSPhotoLibraryUsageDescription", "NSPhotoLibraryAddUsageDescription", "NSFaceIDUsageDescription",
            "NSLocalNetworkUsageDescription",
        ])
    func purposes(key: String) throws {
        #expect(try #require(list[key] as? String).hasSuffix("."))
    }
}
