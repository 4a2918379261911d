public import AuthStateFoundation

extension LoginTrace {
    /// One step.
    public struct Entry: Sendable, Hashable {
        /// The time of the step.
        public let date: Date
        /// The kind of the step.
        public let step: Step
        /// The event in words.
        public let message: String
        /// Its particulars in order; a secret's value is `…`.
        public var details: [Detail]

        /// Makes an entry, for example for a preview; terminal control characters in the message are replaced.
        package init(date: Date, step: Step, message: String, details: [Detail] = []) {
            self.date = date
            self.step = step
            self.message = message.printable(2000)
            self.details = details
        }
    }

    /// A particular of a step.
    public struct Detail: Sendable, Hashable {
        /// Its name, as the specifications write it where they do.
        public let name: String
        /// Its value, or `…`.
        public let value: String
        /// What a report shows in place of a secret value.
        package var mark: String?

        /// Makes a particular; terminal control characters are replaced in both.
        package init(_ name: String, _ value: String) {
            self.name = name.printable(60)
            self.value = value.printable()
        }
    }

    /// The steps of a login and of what follows it. New ones may be added.
    public struct Step: RawRepresentable, Sendable, Hashable {
        /// The step's name.
        public var rawValue: String
        /// Makes a step.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The provider's endpoints are known.
        public static let discovery = Step(rawValue: "discovery")
        /// The authorization request was made.
        public static let request = Step(rawValue: "request")
        /// The user was sent to the provider.
        public static let browser = Step(rawValue: "browser")
        /// A callback arrived.
        public static let callback = Step(rawValue: "callback")
        /// The answer passed the checks.
        public static let answer = Step(rawValue: "answer")
        /// The token endpoint is asked.
        public static let tokenRequest = Step(rawValue: "tokenRequest")
        /// The token endpoint granted tokens.
        public static let tokens = Step(rawValue: "tokens")
        /// An ID token was verified, or could not be.
        public static let idToken = Step(rawValue: "idToken")
        /// Claims about the user were read.
        public static let userinfo = Step(rawValue: "userinfo")
        /// The state was saved, removed, or adopted from the store.
        public static let store = Step(rawValue: "store")
        /// An HTTP exchange, for any purpose.
        public static let http = Step(rawValue: "http")
        /// An answer that deviates from its specification was read the way its sender meant it.
        public static let leniency = Step(rawValue: "leniency")
        /// A step failed, or was cancelled.
        public static let failure = Step(rawValue: "failure")
    }
}

extension LoginTrace.Entry: CustomStringConvertible {
    /// Message and particulars in one line, without the date.
    public var description: String {
        guard !details.isEmpty else { return message }
        let start = message.hasSuffix(".") ? message.dropLast() : message[...]
        return "\(start): " + details.map(\.description).joined(separator: ", ")
    }
}

extension LoginTrace.Detail: CustomStringConvertible {
    /// Name and value.
    public var description: String { "\(name)=\(value)" }
}
