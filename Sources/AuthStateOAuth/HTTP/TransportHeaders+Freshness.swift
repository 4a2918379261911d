extension TransportHeaders {
    /// For how many seconds an answer may be kept (RFC 9111, sections 4.2 and 5.2.2); nil when it does not say.
    ///
    /// `max-age` less `Age`. `no-store`, `no-cache` and an age of zero mean no lifetime: frameworks add them to all
    /// answers, public documents included.
    package var freshnessLifetime: Double? {
        let directives = self[values: "Cache-Control"].joined(separator: ",").lowercased()
            .filter { !" \t\"".contains($0) }.split(separator: ",")
        guard !directives.contains("no-store"), !directives.contains("no-cache"),
            let directive = directives.first(where: { $0.hasPrefix("max-age=") }),
            let age = Self.seconds(directive.dropFirst("max-age=".count))
        else { return nil }
        let lifetime = age - (self["Age"].flatMap(Self.seconds) ?? 0)
        return lifetime > 0 ? lifetime : nil
    }

    private static func seconds(_ text: some StringProtocol) -> Double? {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Double(text) : nil
    }
}
