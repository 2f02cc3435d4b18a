// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchDownloads
import LatchKit
import Testing

@testable import LatchApple

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct TransferTests {
    @Test(
        "DL-10 DL-17 the session of downloads goes on in the background, with six connections a host and without storing"
    )
    func background() {
        let configuration = TransferSettings.downloads.configuration()
        #expect(configuration.identifier == "org.latchstring.downloads")
        #expect(configuration.sessionSendsLaunchEvents)
        #expect(!configuration.isDiscretionary)
        #expect(configuration.waitsForConnectivity)
        #expect(configuration.httpMaximumConnectionsPerHost == 6)
        #expect(!configuration.allowsExpensiveNetworkAccess && !configuration.allowsConstrainedNetworkAccess)
        #expect(!configuration.httpShouldSetCookies)
        #expect(configuration.httpCookieStorage == nil)
        #expect(configuration.urlCache == nil)
        #expect(configuration.urlCredentialStorage == nil)
    }

    @Test(
        "DL-17 metered networks are used when the person allows it, and a session without identifier ends with the app")
    func foreground() {
        var settings = TransferSettings()
        settings.allowsMetered = true
        settings.idleTimeout = .seconds(20)
        let configuration = settings.configuration()
        #expect(configuration.identifier == nil)
        #expect(configuration.allowsExpensiveNetworkAccess && configuration.allowsConstrainedNetworkAccess)
        #expect(configuration.timeoutIntervalForRequest == 20)
    }

    @Test("DL-17 a transfer finds its task again by its description", arguments: ["asset-1", "a/b", "ä ?", "/"])
    func names(id: String) throws {
        let task = DownloadTask(id: id, account: UUID(), url: "/f", filename: "f.jpg", group: .image)
        let name = try #require(TransferName(TransferName(task).description))
        #expect(name.task == id && name.account == task.account)
        #expect(!name.filename.contains("/"))
    }

    @Test("DL-17 transfers of others are left alone", arguments: [nil, "", "asset-1", "x/asset-1", "/"])
    func foreign(text: String?) {
        #expect(TransferName(text) == nil)
    }

    @Test("DL-17 two tasks never share a file name")
    func filenames() {
        let account = UUID()
        let names = ["a/b", "a%2Fb", "a-b", "A/B"].map {
            TransferName(DownloadTask(id: $0, account: account, url: "/f", filename: "f", group: .file)).filename
        }
        #expect(Set(names).count == 4)
    }
}
