import FoundationEssentials
import HTTPMessages
import LatchKit
import Primitives
import Synchronization
import Terminal

/// The progress that a sign-in reported, and its output.
final class SignInProgressText: Sendable {
    private let steps = Mutex<[SignInProgress]>([])

    /// Records a step.
    func take(_ step: SignInProgress) { steps.withLock { $0.append(step) } }

    /// Prints what the person has on the server, and what does not work on this machine.
    func show(on console: Console) {
        guard !console.isJSON else { return }
        for step in steps.withLock({ $0 }) {
            switch step {
            case .synced(let sync):
                if let line = Self.line(sync) { console.note(line) }
            case .picturesChecked(let folder) where isAboutPictures:
                if let line = Self.line(folder) { console.note(line) }
            default: break
            }
        }
    }

    /// Returns the members for `--json`. Empty for families without a first sync.
    func json(for account: Account) -> [JSONValue.Member] {
        guard account.capabilities.contains(.firstSync) else { return [] }
        return steps.withLock { $0 }.flatMap { step -> [JSONValue.Member] in
            switch step {
            case .deviceKnown(let id): [.init("deviceId", .string(id.uuidString.lowercased()))]
            case .picturesChecked(let folder):
                [
                    .init(
                        "pictures",
                        [
                            "path": folder.path.map { .string($0) } ?? .null,
                            "access": .string(folder.access.rawValue),
                        ])
                ]
            case .synced(let sync): [.init("firstSync", Self.json(sync))]
            default: []
            }
        }
    }

    private var isAboutPictures: Bool {
        steps.withLock { steps in
            steps.contains { if case .synced(let sync) = $0 { sync.photographs != nil } else { false } }
        }
    }

    private static func line(_ sync: FirstSync) -> String? {
        let counts = [
            sync.photographs.map { count($0, "photo", "photos") },
            sync.films.map { count($0, "video", "videos") },
            sync.albums.map { count($0, "album", "albums") },
        ].compactMap { $0 }
        guard !counts.isEmpty else { return nil }
        return "Your library has \(counts.joined(separator: ", "))."
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

    private static func count(_ number: Int, _ one: String, _ many: String) -> String {
        number == 1 ? "1 \(one)" : "\(number) \(many)"
    }

    private static func json(_ sync: FirstSync) -> JSONValue {
        func number(_ value: Int?) -> JSONValue { value.map { .number(Double($0)) } ?? .null }
        return [
            "version": sync.version.map { .string($0) } ?? .null, "albums": number(sync.albums),
            "photographs": number(sync.photographs), "films": number(sync.films),
        ]
    }
}
