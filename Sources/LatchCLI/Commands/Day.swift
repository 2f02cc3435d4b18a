import Arguments
import FoundationEssentials
import Terminal

/// A day, a month or a year in local time as people write it: `2026-07-01`, `2026-07`, `2026`.
struct Day: ArgumentValue {
    /// The first moment of the period.
    let start: Date
    /// The first moment after the period.
    let end: Date

    init(argument text: String) throws(ArgumentValueError) {
        let wrong = ArgumentValueError(expected: "a day, month or year, such as 2026-07-01, 2026-07 or 2026")
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.allSatisfy(\.isASCII) ? Int($0) : nil }
        guard parts.count == numbers.count, (1...3).contains(parts.count), parts[0].count == 4,
            parts.dropFirst().allSatisfy({ $0.count == 2 }), numbers[0] > 0
        else { throw wrong }
        let wanted = [numbers[0], numbers.count > 1 ? numbers[1] : 1, numbers.count > 2 ? numbers[2] : 1]
        var after = wanted
        after[numbers.count - 1] += 1
        guard (1...12).contains(wanted[1]), (1...31).contains(wanted[2]),
            let start = Date(startOf: wanted, isExact: true),
            let end = Date(startOf: after, isExact: false)
        else { throw wrong }
        (self.start, self.end) = (start, end)
    }
}
