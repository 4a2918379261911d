import AuthStateFoundation
import AuthStateKit
import Testing

struct TraceTextTests {
    @Test("neither message nor details of an entry steer a terminal")
    func entries() {
        let hostile = "a\u{1B}[2J\u{9B}31m\u{202E}\u{2066}\u{61C}\u{200F}\u{200B}\n\t\u{7F}b"
        let entry = LoginTrace.Entry(
            date: Date(timeIntervalSince1970: 0), step: .failure, message: hostile,
            details: [LoginTrace.Detail(hostile, hostile)])
        let text = "\(entry)"
        #expect(text.unicodeScalars.allSatisfy { $0.isPrintable } && text.contains("\u{FFFD}"))
    }
}
