/// A JSON number (RFC 8259, section 6): an integer that fits 64 bits is kept exactly, anything else is a finite double.
///
/// A double that is a whole number and fits becomes an integer, so `1`, `1.0` and `1e0` are the same value.
public struct JSONNumber: Sendable {
    private enum Storage: Sendable {
        case integer(Int64)
        /// A whole number that was written with a fraction or an exponent, and may have been rounded.
        case wholeDouble(Int64)
        case double(Double)
    }

    private let storage: Storage

    /// Makes a number of an integer, exactly.
    public init(_ value: Int64) { storage = .integer(value) }

    /// Makes a number of a double; nil for infinities and NaN, which JSON cannot write.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        storage = Int64(exactly: value).map(Storage.wholeDouble) ?? .double(value)
    }

    /// The number as an integer; nil when it has a fraction or does not fit.
    package var int64Value: Int64? {
        switch storage {
        case .integer(let value), .wholeDouble(let value): value
        case .double: nil
        }
    }

    /// The digits of an integer that was written as one; two numbers that were rounded to the same value have none.
    var digits: String? { if case .integer(let value) = storage { "\(value)" } else { nil } }

    /// The number as a double, rounded when it is an integer beyond 2⁵³.
    public var doubleValue: Double {
        switch storage {
        case .integer(let value), .wholeDouble(let value): Double(value)
        case .double(let value): value
        }
    }

    var text: String {
        switch storage {
        case .integer(let value), .wholeDouble(let value): "\(value)"
        case .double(let value): "\(value)"
        }
    }
}

extension JSONNumber: Hashable {
    /// Compares the values: `1`, `1.0` and `1e0` are the same.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left.int64Value, right.int64Value) {
        case (let left?, let right?): left == right
        case (nil, nil): left.doubleValue == right.doubleValue
        default: false
        }
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) {
        if let integer = int64Value { hasher.combine(integer) } else { hasher.combine(doubleValue) }
    }
}

extension JSONNumber: Codable {
    /// Reads an integer when the number is one that fits, else a double.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let integer = try? container.decode(Int64.self) {
            self.init(integer)
        } else if let number = JSONNumber(try container.decode(Double.self)) {
            self = number
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number that is not finite")
        }
    }

    /// Writes an integer as an integer and a double as a double.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch storage {
        case .integer(let value), .wholeDouble(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        }
    }
}
