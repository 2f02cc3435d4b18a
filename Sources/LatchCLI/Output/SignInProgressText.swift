import FoundationEssentials
import HTTPMessages
import LatchDownloads
import LatchKit
import Primitives
import Synchronization
import Terminal

/// The progress that a sign-in reported, and its output.
final class SignInProgressText: Sendable {
    /// The reported steps, and the pictures folder as it was before the first sync.
    private struct State {
        var device: UUID?
        var pictures: PicturesFolder?
        var sync: FirstSync?
    }

    private let state = Mutex(State())
    private let environment: [String: String]

    init(environment: [String: String]) {
        self.environment = environment
    }

    /// Records a step. A folder that is not writable is reported but does not stop the sign-in.
    func record(_ step: SignInProgress) {
        switch step {
        case .deviceKnown(let id): state.withLock { $0.device = id }
        case .picturesNeeded:
            let pictures = PicturesFolder.current(environment: environment)
            state.withLock { $0.pictures = pictures }
        case .synced(let sync): state.withLock { $0.sync = sync }
        default: break
        }
    }

    /// Prints what the person has on the server, and what does not work on this machine.
    func show(on console: Console) {
        guard !console.isJSON else { return }
        let state = state.withLock { $0 }
        guard let sync = state.sync else { return }
        if let counts = FirstSyncText.counts(sync) { console.printMessage("Your library has \(counts).") }
        if sync.photographs != nil, let line = state.pictures.flatMap(Self.line) { console.printMessage(line) }
    }

    /// Returns the members for `--json`. Empty for families without a first sync.
    func json(for account: Account) -> [JSONValue.Member] {
        guard account.capabilities.contains(.firstSync) else { return [] }
        let state = state.withLock { $0 }
        var members: [JSONValue.Member] = []
        if let device = state.device { members.append(.init("deviceId", .string(device.uuidString.lowercased()))) }
        if let pictures = state.pictures {
            members.append(
                .init(
                    "pictures",
                    [
                        "path": pictures.path.map { .string($0) } ?? .null,
                        "access": .string(pictures.access.rawValue),
                    ]))
        }
        if let sync = state.sync { members.append(.init("firstSync", FirstSyncText.json(sync))) }
        return members
    }

    /// Returns a sentence about an unusable folder for pictures. Nil when there is no problem; the first download
    /// creates a missing folder.
    private static func line(_ folder: PicturesFolder) -> String? {
        guard let path = folder.path else {
            return
                "There is no pictures folder because HOME is not set. To download pictures: latch download --to FOLDER"
        }
        guard folder.access == .refused else { return nil }
        return
            "You cannot write to the pictures folder '\(path.printable)'. Get write access, or choose another folder: "
            + "latch download --to FOLDER"
    }
}
