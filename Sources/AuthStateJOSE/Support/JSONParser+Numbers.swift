extension JSONParser {
    /// More digits than any number in a protocol message has; a double needs at most 25 characters.
    private static let maximumNumberLength = 128

    /// Reads a number, whose sign or first digit is next.
    mutating func parseNumber() throws(JSONError) -> JSONNumber {
        let start = position
        let isNegative = consume(UInt8(ascii: "-"))
        let digits = position
        try skipDigits()
        guard bytes[digits] != UInt8(ascii: "0") || position == digits + 1 else {
            throw JSONError("a number starts with a needless zero", at: start)
        }
        let integerEnd = position
        if consume(UInt8(ascii: ".")) { try skipDigits() }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
        guard position - start <= Self.maximumNumberLength else { throw JSONError("a number is too long", at: start) }
        if position == integerEnd, let integer = integer(in: digits..<integerEnd, isNegative: isNegative) {
            return JSONNumber(integer)
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Double(text).flatMap({ JSONNumber($0) }) else {
            throw JSONError("a number is too large", at: start)
        }
        return number
    }

    private mutating func skipDigits() throws(JSONError) {
        let start = position
        while next >= UInt8(ascii: "0") && next <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw failure("a number lacks a digit") }
    }

    /// The integer that these digits write; nil when it does not fit.
    private func integer(in digits: Range<Int>, isNegative: Bool) -> Int64? {
        var value: Int64 = 0
        for byte in bytes[digits] {
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }
}
