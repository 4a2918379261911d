/// A JSON number (RFC 8259, section 6): an integer that fits 64 bits is kept exactly, anything else is a finite double.
///
/// A double that is a whole number and fits becomes an integer, so `1`, `1.0` and `1e0` are the same value.
public struct JSONNumber: Sendable, Hashable {
    private enum Storage: Sendable, Hashable {
        case integer(Int64)
        case double(Double)
    }

    private let storage: Storage

    /// Makes a number of an integer, exactly.
    public init(_ value: Int64) { storage = .integer(value) }

    /// Makes a number of a double; nil for infinities and NaN, which JSON cannot write.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        storage = Int64(exactly: value).map(Storage.integer) ?? .double(value)
    }

    /// The number as an integer; nil when it has a fraction or does not fit.
    package var int64Value: Int64? {
        switch storage {
        case .integer(let value): value
        case .double: nil
        }
    }

    /// The number as a double, rounded when it is an integer beyond 2⁵³.
    public var doubleValue: Double {
        switch storage {
        case .integer(let value): Double(value)
        case .double(let value): value
        }
    }

    /// The number as JSON writes it.
    var text: String {
        switch storage {
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        }
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
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        }
    }
}
