import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// The months of a large library.
    @Suite("Months in the window", .sandbox)
    struct MonthsTests {
        /// A library with 6 pictures in each month of a year.
        private static func response(_ path: String) -> ScriptedServer.Response? {
            let months = (1...12).map { String(format: "2024-%02d", $0) }
            if path.contains("/timeline/buckets") {
                let buckets = months.reversed().map { "{\"timeBucket\":\"\($0)-01\",\"count\":6}" }
                return .json("[\(buckets.joined(separator: ","))]")
            }
            guard path.contains("/timeline/bucket"), let month = months.first(where: { path.contains($0) }) else {
                return path.contains("/thumbnail") ? .json("{\"message\":\"Not found\"}", status: 404) : nil
            }
            func column(_ name: String, _ value: (Int) -> String) -> String {
                "\"\(name)\":[\((1...6).reversed().map(value).joined(separator: ","))]"
            }
            let columns = [
                column("id") {
                    "\"5f3e0000-0000-4000-8000-\(month.replacing("-", with: ""))\(String(format: "%06d", $0))\""
                },
                column("fileCreatedAt") { String(format: "\"%@-%02dT12:00:00.000Z\"", month, $0) },
                column("isImage") { _ in "true" }, column("livePhotoVideoId") { _ in "null" },
            ]
            return .json("{\(columns.joined(separator: ","))}")
        }

        @Test(
            "DL-1 the months of 72 pictures: one is scrolled to, and its pictures are selected, and others beside them"
        )
        func months() async throws {
            try await withForwardedAccount {
                Self.response($1)
            } _: { app, _, _ in
                try await app.open("Library")
                try await app.wait(for: .label, "0 of 72 selected")
                try await app.wait(for: .image, containing: "December 2024")
                try await app.press("Months")
                try await app.wait(for: .label, "6 pictures")
                try await app.press("March 2024")
                // A click on a picture that is not on the screen would select nothing.
                try await app.click(.image, containing: "Photo, 6 March 2024, 12:00")
                try await app.wait(for: .label, "1 of 72 selected")
                try await app.click(.image, containing: "Photo, 6 March 2024, 12:00")
                try await app.wait(for: .label, "0 of 72 selected")
                try await app.press("Months")
                try await app.press("Select", in: "March 2024")
                try await app.wait(for: .label, "6 of 72 selected")
                try await app.press("Select", in: "December 2024")
                try await app.wait(for: .label, "12 of 72 selected")
                try await app.press("Select", in: "December 2024")
                try await app.wait(for: .label, "6 of 72 selected")
                try await app.press("March 2024")
                try await app.wait(for: .image, "Photo, 6 March 2024, 12:00, selected")
                try await app.press("Months")
                try await app.wait(for: .listItem, "December 2024")
                try await app.press("Back")
                try await app.wait(for: .image, containing: ", selected")
                try await app.press("Clear selection")
                try await app.wait(for: .label, "0 of 72 selected")
            }
        }
    }
}
