// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchDownloads
import LatchKit
import Synchronization
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

    @Test("DL-17 a broken transfer brings the data to resume it, and a cancelled one is no failure")
    func errors() {
        let name = Self.name("asset-1")
        let lost = URLError(.networkConnectionLost, userInfo: [NSURLSessionDownloadTaskResumeData: Data([1, 2])])
        guard case .failed(name, _, let resumeData) = TransferReceiver.event(of: name, lost) else {
            Issue.record("A lost connection is not a failure.")
            return
        }
        #expect(resumeData == Data([1, 2]))
        #expect(TransferReceiver.event(of: name, URLError(.cancelled)) == .cancelled(name))
    }

    @Test("DL-17 a received file replaces an earlier one in the app's folder before the system deletes it")
    func received() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = Self.name("asset/1")
        let events = Mutex<[TransferEvent]>([])
        let receiver = TransferReceiver(folder: folder.appendingPathComponent("received")) { event in
            events.withLock { $0.append(event) }
        }
        let session = URLSession(configuration: .ephemeral, delegate: receiver, delegateQueue: nil)
        let transfer = session.downloadTask(with: URLRequest(url: folder))
        transfer.taskDescription = name.description
        let file = folder.appendingPathComponent("received").appendingPathComponent(name.filename)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

        for content in ["first", "second"] {
            let location = folder.appendingPathComponent("temporary")
            try Data(content.utf8).write(to: location)
            receiver.urlSession(session, downloadTask: transfer, didFinishDownloadingTo: location)
            #expect(try Data(contentsOf: file) == Data(content.utf8))
            #expect(!FileManager.default.fileExists(atPath: location.path))
        }
        receiver.urlSession(
            session, downloadTask: transfer, didFinishDownloadingTo: folder.appendingPathComponent("missing"))
        receiver.urlSessionDidFinishEvents(forBackgroundURLSession: session)

        let received = events.withLock { $0 }
        try #require(received.count == 4)
        #expect(received.prefix(2).allSatisfy { $0 == .finished(name, status: 0, path: file.path) })
        guard case .failed(name, let reason, nil) = received[2] else {
            Issue.record("A file that could not be moved is not a failure.")
            return
        }
        #expect(reason == "The received file could not be stored. Check that the disk is not full.")
        #expect(received.last == .allDelivered)
    }

    private static func name(_ id: String) -> TransferName {
        TransferName(account: UUID(), task: id)
    }
}
