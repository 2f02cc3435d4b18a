/// The exit codes of a program. The enumeration is the only table: it determines the exit status and the help.
///
/// Source: `sysexits.h`, whose numbers are used where they apply.
package protocol ExitCodeTable: RawRepresentable<Int32>, CaseIterable, Sendable {
    /// The meaning of the exit code, in one line.
    var summary: String { get }
}

extension ExitCodeTable {
    /// The table for the help, indented, with the numbers aligned to the right.
    package static var help: String {
        let width = allCases.map { String($0.rawValue).count }.max() ?? 0
        return allCases.map { code in
            let number = String(code.rawValue)
            return "  " + String(repeating: " ", count: width - number.count) + "\(number)  \(code.summary)"
        }.joined(separator: "\n")
    }
}
