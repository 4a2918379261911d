import AuthStateFoundation
import Testing

@testable import AuthStateOAuth

struct HTTPDateTests {
    @Test(
        "the three forms of RFC 9110, section 5.6.7",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Fri, 31 Dec 2100 23:59:59 GMT", 4_133_980_799),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ])
    func forms(_ text: String, _ seconds: Double) { #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == seconds) }

    @Test(
        "anything else is no date",
        arguments: [
            "", " ", "120", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08::49:37 GMT", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 199 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT +1",
        ])
    func others(_ text: String) { #expect(HTTPDate.parse(text) == nil) }
}
