import ArgumentParser

/// Requests that the proxy passes on, by method and path: `GET,HEAD /items/*`.
struct ProxyRule: Sendable, Equatable {
    /// The methods; empty for all.
    private let methods: Set<String>
    /// The segments of the path, in which * stands for characters; nil stands for any number of segments.
    private let segments: [[UInt8]?]

    /// Reads a rule.
    ///
    /// - Throws: `ValidationError`.
    init(_ text: String) throws {
        func refusal(_ reason: String) -> ValidationError {
            ValidationError("--allow '\(text)': \(reason). A rule is a method and a path, such as 'GET,HEAD /items/*'.")
        }
        let words = text.split(separator: " ")
        guard (1...2).contains(words.count), let path = words.last, path.hasPrefix("/") else {
            throw refusal("the path has to begin with a slash")
        }
        if path.contains(where: { "?#".contains($0) }) { throw refusal("a rule has no query") }
        let names = words.count == 2 ? words[0].split(separator: ",", omittingEmptySubsequences: false) : ["*"]
        let isAny = names == ["*"]
        guard isAny || names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } }) else {
            throw refusal("methods are in capitals, with commas between them")
        }
        methods = isAny ? [] : Set(names.map(String.init))
        segments = try Self.segments(of: path).map { segment in
            if segment.elementsEqual("**".utf8) { return nil }
            if String(decoding: segment, as: UTF8.self).contains("**") { throw refusal("** is a segment of its own") }
            return segment
        }
    }

    /// Returns whether a request is one of the rule's.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below the base, as it was sent: a path in another encoding is another one.
    func allows(_ method: String, _ path: Substring) -> Bool {
        guard methods.isEmpty || methods.contains(method) else { return false }
        let names = Self.segments(of: path)
        // Some servers take two slashes for one.
        guard !names.dropLast().contains(where: \.isEmpty) else { return false }
        return Self.matches(segments, names) { pattern, name in
            guard let pattern else { return nil }
            return name.isEmpty == pattern.isEmpty
                && Self.matches(pattern, name) { $0 == UInt8(ascii: "*") ? nil : $0 == $1 }
        }
    }

    private static func segments(of path: Substring) -> [[UInt8]] {
        Array(path.utf8).dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(
            Array.init)
    }

    /// Whether elements fit a pattern, in which some elements stand for any number of others. It goes back to the last of those
    /// alone, so that its time is at most the product of both lengths.
    ///
    /// - Parameter fits: Returns whether an element fits one of the pattern; nil where that stands for any number.
    private static func matches<Pattern, Element>(
        _ pattern: [Pattern], _ elements: [Element], by fits: (Pattern, Element) -> Bool?
    ) -> Bool {
        var (next, index) = (0, 0)
        var retry: (next: Int, index: Int)?
        while index < elements.count {
            switch next < pattern.count ? fits(pattern[next], elements[index]) : false {
            case nil:
                next += 1
                retry = (next, index)
            case true?: (next, index) = (next + 1, index + 1)
            case false?:
                guard let last = retry else { return false }
                (next, index) = (last.next, last.index + 1)
                retry = (next, index)
            }
        }
        // What is left has to stand for nothing.
        return pattern[next...].allSatisfy { left in elements.last.map { fits(left, $0) == nil } ?? false }
    }
}
