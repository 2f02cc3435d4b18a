import Foundation
import Primitives

@testable import Terminal

extension FuzzedParser {
    static let printing = [
        FuzzedParser("printable") { input in
            let text = input.text.printable
            try require(
                !text.unicodeScalars.contains {
                    [.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
                }, "Text that is called printable can move the terminal's cursor.")
            try require(text.printable == text, "Text changes when it is made printable again.")
        },
        // Milliseconds, as the databases keep them.
        FuzzedParser("dates") { input in
            guard let milliseconds = Int64(input.text) else { return }
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            try require(!date.forPeople.isEmpty, "A date cannot be shown.")
            try require(!date.forPrograms.isEmpty, "A date cannot be written.")
        },
    ]
}
