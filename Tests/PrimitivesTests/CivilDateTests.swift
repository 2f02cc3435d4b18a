import Primitives
import Testing

@Suite struct CivilDateTests {
    @Test(
        "days are counted from 1 January 1970, across leap years, centuries and the year 0",
        arguments: [
            (0, 1970, 1, 1), (-1, 1969, 12, 31), (59, 1970, 3, 1), (11_016, 2000, 2, 29), (-25_509, 1900, 2, 28),
            (-25_508, 1900, 3, 1), (20_780, 2026, 11, 23), (-719_468, 0, 3, 1), (2_932_896, 9999, 12, 31),
        ])
    func days(_ number: Int, _ year: Int, _ month: Int, _ day: Int) {
        let date = CivilDate(year: year, month: month, day: day)
        #expect(CivilDate(daysSince1970: number) == date)
        #expect(date.daysSince1970 == number)
    }

    @Test("every day of 800 years follows the previous one, and exists in its month")
    func roundTrip() {
        for number in -150_000...150_000 {
            let date = CivilDate(daysSince1970: number)
            guard date.daysSince1970 == number, (1...12).contains(date.month), (1...date.daysInMonth).contains(date.day)
            else {
                Issue.record("\(number): \(date)")
                return
            }
        }
    }
}
