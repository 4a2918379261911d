extension String {
    /// At most 100 characters, each one that is not printable ASCII a question mark: for text that came from outside.
    var shown: String {
        String(unicodeScalars.prefix(100).map { (" "..."~").contains($0) ? Character($0) : "?" })
    }
}
