/// The time fields of MS-DOS: two seconds fine, from 1980 to 2107, here in UTC.
///
/// Source: PKWARE APPNOTE 6.3.10 §4.4.6; the arithmetic of days is Howard Hinnant's `civil_from_days`.
enum ZIPTime {
    /// Date and time; what lies outside of the years is the nearest that does not.
    static func fields(_ sinceEpoch: Duration) -> (date: Int, time: Int) {
        // 1980-01-01T00:00:00Z to 2107-12-31T23:59:58Z.
        let seconds = min(max(Int(sinceEpoch.components.seconds), 315_532_800), 4_354_819_198)
        let (day, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        // All days are after 1970, so no quotient is negative.
        let (era, dayOfEra) = (day + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
        return (
            (year - 1980) << 9 | month << 5 | dayOfMonth,
            (rest / 3_600) << 11 | (rest / 60 % 60) << 5 | (rest % 60) / 2
        )
    }
}
