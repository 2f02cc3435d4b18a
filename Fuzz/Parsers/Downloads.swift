import Foundation
import HTTPMessages

@testable import LatchDownloads

extension FuzzedParser {
    static let downloads = [
        // A file's name as a server gives it.
        FuzzedParser("file-name") { input in
            let name = SafeFileName(input.text)
            for text in [name.text, name.numbered(1), name.numbered(9_999)] {
                try require((1...255).contains(text.utf8.count), "A name is empty, or longer than a disk takes.")
                try require(!text.contains("/") && !text.contains("\\"), "A name leads into another folder.")
                try require(!text.hasPrefix(".") && !text.hasSuffix("."), "A name is hidden, or loses its last dot.")
                try require(text.unicodeScalars.allSatisfy { $0.value >= 32 }, "A name has a control character.")
                try require(SafeFileName(text).text == text, "A name that is fit is changed again.")
            }
            try require(name.stem + name.ending == name.text, "A name comes apart into something else.")
            try require(SafeFileName(MotionPhotoName.of(input.text)).text.utf8.count <= 255, "A name has become long.")
        },
        // What a server of Immich lists.
        FuzzedParser("immich-assets") { input in
            guard let json = try? JSONValue(parsing: input) else { return }
            let reading = ImmichAssetReading(account: UUID(), api: "/api")
            for asset in json.array ?? [json] {
                let tasks = reading.tasks(asset, video: reading.facts(asset), includesHidden: true)
                try require(tasks.count <= 2, "An asset has more than two files.")
                try require(Set(tasks.map(\.id)).count == tasks.count, "A photograph is its own film.")
                for task in tasks {
                    try require(UUID(uuidString: task.id) != nil, "What is no id goes into a path.")
                    try require(task.url == "/api/assets/\(task.id)/original", "A task leads elsewhere.")
                    try require(task.metadata.size ?? 0 >= 0, "A file is shorter than nothing.")
                    try require(task.metadata.sha1.map { $0.count == 20 } ?? true, "A digest is none.")
                    try require(
                        (task.metadata.liveID != nil) == (tasks.count == 2), "A half of a live photo stands alone.")
                    let month = LibraryLayout.month(task)
                    try require(
                        month == "undated"
                            || month.utf8.count == 7 && month.split(separator: "/").allSatisfy { Int($0) != nil },
                        "A month leads into another folder.")
                }
            }
        },
        // A JPEG to which a film is added.
        FuzzedParser("motion-photo") { input in
            @Sendable func read(_ offset: Int, _ count: Int) -> [UInt8] {
                offset < input.count ? Array(input[offset..<min(offset + count, input.count)]) : []
            }
            guard let head = try? await JPEGHead(read) else { return }
            try require((2...input.count).contains(head.afterCamera), "A place is outside the file.")
            guard let packet = head.packet else { return }
            try require(packet.place.upperBound <= input.count, "A packet is outside the file.")
            guard !MotionPhotoPacket.isMotionPhoto(packet.text),
                let more = MotionPhotoPacket.extending(packet.text, filmBytes: 7, filmType: "video/mp4")
            else { return }
            try require(MotionPhotoPacket.isMotionPhoto(more), "A film was added and is not told.")
            guard let segment = JPEGHead.segment(ofPacket: more) else { return }
            let bytes = input[..<packet.place.lowerBound] + segment + input[packet.place.upperBound...]
            let again = try await JPEGHead { offset, count in
                offset < bytes.count ? Array(bytes[offset..<min(offset + count, bytes.count)]) : []
            }
            try require(again.packet?.text == more, "What was put in is not read again.")
        },
    ]
}
