extension String {
    /// The text of well-formed UTF-8; nil for other bytes.
    ///
    /// `String(validating:as:)` does the same, on newer systems than the oldest supported ones.
    package init?(strictUTF8 bytes: [UInt8]) {
        self.init(decoding: bytes, as: UTF8.self)
        // Malformed bytes were replaced by U+FFFD, so that the bytes differ.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
