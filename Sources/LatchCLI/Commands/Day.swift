import Arguments
import Foundation

/// A day, a month or a year as people write it, here: `2026-07-01`, `2026-07`, `2026`.
struct Day: ArgumentValue {
    /// Its first moment.
    let start: Date
    /// The first moment after it.
    let end: Date

    init(argument text: String) throws(ArgumentValueError) {
        let wrong = ArgumentValueError(expected: "a day, month or year, as 2026-07-01, 2026-07 or 2026")
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.allSatisfy(\.isASCII) ? Int($0) : nil }
        guard parts.count == numbers.count, (1...3).contains(parts.count), parts[0].count == 4,
            parts.dropFirst().allSatisfy({ $0.count == 2 }), numbers[0] > 0
        else { throw wrong }
        let calendar = Calendar(identifier: .gregorian)
        let wanted = DateComponents(
            year: numbers[0], month: numbers.count > 1 ? numbers[1] : 1, day: numbers.count > 2 ? numbers[2] : 1)
        let unit: Calendar.Component = [.year, .month, .day][numbers.count - 1]
        guard let start = calendar.date(from: wanted), let end = calendar.date(byAdding: unit, value: 1, to: start),
            calendar.dateComponents([.year, .month, .day], from: start) == wanted
        else { throw wrong }
        (self.start, self.end) = (start, end)
    }
}
