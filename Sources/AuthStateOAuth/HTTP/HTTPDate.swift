import AuthStateFoundation

/// The date of an HTTP field, in any of its three forms (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`; nil otherwise.
    ///
    /// The weekday is not compared with the date. Two digits of a year mean 1970 to 2069.
    static func parse(_ text: String) -> Date? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).dropFirst().map(String.init)
        switch words.count {
        case 5 where words[4] == "GMT":
            guard let year = number(words[2], 2...4) else { return nil }
            return date(
                words[2].utf8.count == 2 ? year + (year < 70 ? 2000 : 1900) : year, words[1], words[0], words[3])
        case 4:
            guard let year = number(words[3], 4...4) else { return nil }
            return date(year, words[0], words[1], words[2])
        default: return nil
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func date(_ year: Int, _ month: String, _ day: String, _ time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0), 2...2) }
        guard year >= 1583, let month = months.firstIndex(of: month), let day = number(day, 1...2),
            (1...31).contains(day),
            clock.count == 3, let hour = clock[0], hour < 24, let minute = clock[1], minute < 60, let second = clock[2],
            second <= 60
        else { return nil }
        return Date(
            timeIntervalSince1970: Double(((days(year, month + 1, day) * 24 + hour) * 60 + minute) * 60 + second))
    }

    /// Days since 1 January 1970 in the Gregorian calendar, whose years are counted here from March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month < 3 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    private static func number(_ text: String, _ length: ClosedRange<Int>) -> Int? {
        length.contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
