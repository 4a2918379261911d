import Testing

/// The server in a real browser, one test after the other: each starts browsers, and these are heavy.
@Suite(.whereChromiumIsInstalled, .serialized, .timeLimit(.minutes(3)))
struct EndToEndTests {}
