extension String {
    /// The text as it may be shown, cut to so many characters: the one way of another party's text to a terminal or a page.
    ///
    /// Control characters (escapes, C1, line breaks), format characters (bidirectional overrides, zero-width
    /// characters) and characters without an assigned meaning are replaced by U+FFFD; longer text is cut, and ends with
    /// `…`. Every text of an ``AuthStateError``, an ``OAuthErrorResponse``, a ``Finding`` and a trace has passed it.
    public func printable(_ limit: Int = 300) -> String {
        var result = String.UnicodeScalarView()
        var isCut = false
        for (place, scalar) in unicodeScalars.enumerated() {
            isCut = place >= limit
            if isCut { break }
            result.append(scalar.isPrintable ? scalar : "\u{FFFD}")
        }
        if isCut { result.append("…") }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether it prints as itself, and steers neither a terminal nor the direction of the text around it.
    public var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
