import ArgumentParser

/// Requests that the proxy passes on, by method and path: `GET,HEAD /items/*`.
struct ProxyRule: Sendable, Equatable, ExpressibleByArgument {
    /// The methods; empty for all.
    private let methods: Set<String>
    /// The segments of the path, in which * stands for any characters; one that is ** stands for any number of segments.
    private let segments: [String]

    init?(argument: String) {
        let words = argument.split(separator: " ")
        guard (1...2).contains(words.count), let path = words.last, path.hasPrefix("/"), !path.contains("?") else {
            return nil
        }
        let names = words.count == 2 ? words[0].split(separator: ",", omittingEmptySubsequences: false) : ["*"]
        guard names == ["*"] || names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } })
        else {
            return nil
        }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard segments.allSatisfy({ !$0.contains("**") || $0 == "**" }) else { return nil }
        methods = names == ["*"] ? [] : Set(names.map(String.init))
        self.segments = segments
    }

    /// Returns whether a request is one of the rule's.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below the base, as it was sent: a path in another encoding is another one.
    func allows(_ method: String, _ path: Substring) -> Bool {
        guard methods.isEmpty || methods.contains(method) else { return false }
        let names = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        return Self.matches(segments[...], names[...])
    }

    private static func matches(_ pattern: ArraySlice<String>, _ names: ArraySlice<Substring>) -> Bool {
        guard let first = pattern.first else { return names.isEmpty }
        if first == "**" {
            return (names.startIndex...names.endIndex).contains { matches(pattern.dropFirst(), names[$0...]) }
        }
        guard let name = names.first, isGlob(Array(first.utf8)[...], of: Array(name.utf8)[...]) else { return false }
        return matches(pattern.dropFirst(), names.dropFirst())
    }

    /// Whether a text fits a pattern in which * stands for any characters; the time is at most the product of both lengths.
    private static func isGlob(_ pattern: ArraySlice<UInt8>, of text: ArraySlice<UInt8>) -> Bool {
        var (pattern, text) = (pattern, text)
        var retry: (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)?
        while !text.isEmpty {
            if pattern.first == UInt8(ascii: "*") {
                pattern = pattern.dropFirst()
                retry = (pattern, text)
            } else if pattern.first == text.first {
                (pattern, text) = (pattern.dropFirst(), text.dropFirst())
            } else if let last = retry {
                (pattern, text) = (last.pattern, last.text.dropFirst())
                retry = (last.pattern, text)
            } else {
                return false
            }
        }
        return pattern.allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
