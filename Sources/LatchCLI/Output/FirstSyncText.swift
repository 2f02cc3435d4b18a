import FoundationEssentials
import HTTPMessages
import LatchKit
import Terminal

/// The text and JSON forms of a first sync.
enum FirstSyncText {
    /// Returns what the person has on the server, such as `12 photos, 3 videos, 1 album`. Nil when nothing is known.
    static func counts(_ sync: FirstSync) -> String? {
        let counts = [
            sync.photographs.map { count($0, "photo") },
            sync.videos.map { count($0, "video") },
            sync.albums.map { count($0, "album") },
        ].compactMap { $0 }
        return counts.isEmpty ? nil : counts.joined(separator: ", ")
    }

    /// Returns the stable JSON members.
    static func json(_ sync: FirstSync) -> JSONValue {
        func number(_ value: Int?) -> JSONValue { value.map { .number(Double($0)) } ?? .null }
        func time(_ value: Date?) -> JSONValue { value.map { .string($0.forPrograms) } ?? .null }
        return [
            "version": sync.version.map { .string($0) } ?? .null, "albums": number(sync.albums),
            "photographs": number(sync.photographs), "videos": number(sync.videos), "syncedAt": time(sync.date),
            "marker": time(sync.marker),
        ]
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}
