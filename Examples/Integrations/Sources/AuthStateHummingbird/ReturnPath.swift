/// The page after a login: always a path on this server, for any link.
struct ReturnPath: Sendable, Equatable {
    let text: String

    /// A path such as `/x?y=z`; nil for a text that a browser could read as another site.
    ///
    /// `//x` and `/\x` are hosts, and so is a text that becomes one of them when the browser has dropped tabs and line
    /// breaks.
    init?(_ text: String) {
        guard text.utf8.count <= 512, text.hasPrefix("/"), !text.hasPrefix("//"), !text.contains("\\"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }
}
