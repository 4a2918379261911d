package import AuthStateFoundation
import AuthStateJOSE
import AuthStateSystem

extension AuthState {
    /// The time of a decision: by the wall clock, or just after the newest stamp that was known then.
    ///
    /// A hybrid logical clock. A decision made with knowledge of another one is later than it, however wrong the clocks
    /// are. Between two decisions that do not know of each other, the clocks decide.
    package struct Stamp: Sendable, Hashable, Comparable {
        /// Microseconds since 1970, less than 2⁶⁰.
        package var time: Int64
        /// Distinguishes decisions of two processes in the same microsecond.
        package var name: UInt32

        /// The latest possible time, reached only with an archive that no machine wrote.
        private static let last: Int64 = 1 << 60 - 1
        /// The stamp of a part that was never decided.
        package static let never = Stamp(time: 0, name: 0)

        package init(time: Int64, name: UInt32) { (self.time, self.name) = (time, name) }

        /// - Parameter newest: The newest time that is known.
        package init(at date: Date?, after newest: Int64) {
            let wall = date.map { min(max(0, $0.timeIntervalSince1970 * 1_000_000), 0x1p59) } ?? 0
            self.init(time: min(max(Int64(wall.rounded()), newest + 1), Self.last), name: .random(in: 1 ... .max))
        }

        /// The time as a date; nil for `never`.
        package var date: Date? { self == .never ? nil : Date(timeIntervalSince1970: Double(time) / 1_000_000) }

        package static func < (a: Self, b: Self) -> Bool { (a.time, a.name) < (b.time, b.name) }
    }

    package struct Stamps: Sendable, Hashable {
        /// The grant, or its end.
        package var grant = Stamp.never
        /// The client, its provider and its credential; older than `grant` after a logout.
        package var client = Stamp.never
        package var registration = Stamp.never
        /// The tokens, and what came with them.
        package var tokens = Stamp.never
        package var refreshToken = Stamp.never
        /// The error; one about a token has the time of the tokens that it is about.
        package var error = Stamp.never
        package var pause = Stamp.never
        /// The renewal without an answer.
        package var unconfirmed = Stamp.never
        package var wish = Stamp.never

        static let all: [any WritableKeyPath<Stamps, Stamp> & Sendable] = [
            \.grant, \.client, \.registration, \.tokens, \.refreshToken, \.error, \.pause, \.unconfirmed, \.wish,
        ]

        var newest: Int64 { Self.all.reduce(0) { max($0, self[keyPath: $1].time) } }
        var newestTokens: Int64 { max(tokens.time, refreshToken.time) }

        /// Moves a grant, and everything decided with it and after it, to just after the newest decision of another
        /// process.
        mutating func lift(above newest: Int64) {
            let begun = grant.time
            guard begun <= newest else { return }
            for path in Self.all where self[keyPath: path].time >= begun {
                let stamp = self[keyPath: path]
                self[keyPath: path].time = Stamp(at: nil, after: stamp.time + newest - begun).time
            }
        }
    }

    /// The stamps of the parts of a state, in the memory that most states need.
    struct PackedStamps: Sendable, Hashable {
        private let grant, tokens: Stamp
        /// All stamps; nil when they follow from these two, as they do after a login or a renewal that brought a
        /// refresh token.
        private let all: Box<Stamps>?

        init(_ stamps: Stamps) {
            (grant, tokens) = (stamps.grant, stamps.tokens)
            all = stamps == Self.usual(grant, tokens) ? nil : Box(stamps)
        }

        var value: Stamps { all?.value ?? Self.usual(grant, tokens) }

        private static func usual(_ grant: Stamp, _ tokens: Stamp) -> Stamps {
            var stamps = Stamps()
            (stamps.grant, stamps.client) = (grant, grant)
            (stamps.tokens, stamps.refreshToken) = (tokens, tokens)
            return stamps
        }
    }
}

extension AuthState.Stamps: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case grant, client, registration, tokens, refreshToken, error, pause, unconfirmed, wish
    }

    private static let members = zip(CodingKeys.allCases, all)

    /// Decodes stamps; the stamps of a login are equal and stored once.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        for (key, path) in Self.members {
            self[keyPath: path] = try container.decodeIfPresent(AuthState.Stamp.self, forKey: key) ?? unstored(key)
        }
        guard client <= grant else {
            throw DecodingError.dataCorruptedError(forKey: .client, in: container, debugDescription: "after its grant")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        for (key, path) in Self.members where self[keyPath: path] != unstored(key) {
            try container.encode(self[keyPath: path], forKey: key)
        }
    }

    /// Returns the stamp that is left out of an archive; it follows from those before it.
    private func unstored(_ key: CodingKeys) -> AuthState.Stamp {
        switch key {
        case .client: grant
        case .tokens: client < grant ? .never : grant
        case .refreshToken: tokens
        default: .never
        }
    }
}

extension AuthState.Stamp: Codable {
    /// Decodes 12 bytes in Base64url: the time and the name, big-endian.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64URL.decode(try container.decode(String.self)), bytes.count == 12, bytes[0] < 0x10 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no stamp")
        }
        let number = { (part: ArraySlice<UInt8>) in part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(time: Int64(number(bytes[..<8])), name: UInt32(number(bytes[8...])))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
        try container.encode(Base64URL.encode(bytes + (0..<4).map { UInt8(truncatingIfNeeded: name >> (24 - 8 * $0)) }))
    }
}
