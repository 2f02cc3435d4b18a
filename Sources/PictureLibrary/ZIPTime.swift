import Primitives

/// The time fields of MS-DOS: in steps of two seconds, from 1980 to 2107, here in UTC.
///
/// Source: PKWARE APPNOTE 6.3.10 §4.4.6.
enum ZIPTime {
    /// Returns the date and time fields. Times outside the range become the nearest time in it.
    static func fields(_ sinceEpoch: Duration) -> (date: Int, time: Int) {
        // 1980-01-01T00:00:00Z to 2107-12-31T23:59:58Z.
        let seconds = min(max(Int(sinceEpoch.components.seconds), 315_532_800), 4_354_819_198)
        let (day, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSince1970: day)
        return (
            (date.year - 1980) << 9 | date.month << 5 | date.day,
            (rest / 3_600) << 11 | (rest / 60 % 60) << 5 | (rest % 60) / 2
        )
    }
}
