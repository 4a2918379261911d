extension String {
    /// The text that well-formed UTF-8 stands for; nil for bytes that are not.
    ///
    /// `String(validating:as:)` does the same, on newer systems than the oldest that are supported.
    package init?(strictUTF8 bytes: [UInt8]) {
        self.init(decoding: bytes, as: UTF8.self)
        // Whatever is malformed was replaced by U+FFFD, so that the bytes are not the same any more.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
