import AuthStateFoundation
import AuthStateJOSE

/// JSON documents: what is read is written in one way only, and the platform's decoder reads the same.
func fuzzJSON(_ bytes: [UInt8]) {
    guard let value = accepted({ try JSONValue(parsing: bytes) }) else { return }
    let written = value.serialized()
    let again = accepted { try JSONValue(parsing: written) }
    require(again == value, "what was written is read as it was")
    require(again?.serialized() == written, "it is written in one way")
    let decoded = try? JSONDecoder().decode(JSONValue.self, from: Data(written))
    require(decoded == value, "the platform's decoder reads \(String(describing: decoded))")
    let encoded = try? JSONEncoder().encode(value)
    let recoded = encoded.flatMap { try? JSONValue(parsing: [UInt8]($0)) }
    require(recoded == value, "what the platform's encoder writes is read as it was")
}
