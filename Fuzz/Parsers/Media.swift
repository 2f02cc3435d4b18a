import FoundationEssentials

@testable import GatewayCore
@testable import PictureLibrary

extension FuzzedParser {
    static let media = [
        FuzzedParser("media") { input in
            var most = 0
            let file = MediaBytes(count: input.count) { position, count in
                most = max(most, count)
                return Array(input[position..<min(position + count, input.count)])
            }
            let facts = MediaFacts.read(file)
            try require(JPEGFile.thumbnail(file)?.count ?? 0 <= 1 << 16, "A thumbnail is beyond all reason.")
            try require(most <= 1 << 20, "More than a MiB was read at once.")
            try require((facts.width == nil) == (facts.height == nil), "There is a width without a height.")
            try require(max(facts.width ?? 1, facts.height ?? 1) <= 1 << 24, "A size is beyond all reason.")
            try require(facts.duration ?? 0 >= 0, "A film ends before it begins.")
            try require(
                facts.taken.map { (-6_000_000_000...300_000_000_000).contains($0.instant.timeIntervalSince1970) }
                    ?? true,
                "A time is beyond all reason.")
            for text in [facts.make, facts.model].compactMap({ $0 }) {
                try require(
                    text.unicodeScalars.allSatisfy { $0.value >= 32 } && text.count <= 64,
                    "A text was taken as it stood.")
            }
        },
        FuzzedParser("instant") { input in
            // An offset may lead out of the years that are read.
            guard let date = Timestamp.date(input.text),
                (-5_300_000_000...253_000_000_000).contains(date.timeIntervalSince1970)
            else { return }
            // Its own writing is read as the same, to the millisecond.
            let again = Timestamp.date(Timestamp.text(date, fraction: true))
            try require(abs((again ?? .distantPast).timeIntervalSince(date)) < 0.002, "An instant is another one.")
        },
    ]
}
