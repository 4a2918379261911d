import AuthStateFoundation
import AuthStateJOSE

/// JSON documents: what is read is written in one way only, and the platform's decoder reads the same.
func fuzzJSON(_ bytes: [UInt8]) {
    guard let value = accepted({ try JSONValue(parsing: bytes) }) else { return }
    // No object has a name twice here: what is kept of it is as it was.
    let names = value.objectValue.map { Array($0.keys.sorted().prefix(2)) } ?? []
    let part = accepted { try JSONValue(parsing: bytes, keeping: .object(.init(names.map { ($0, true) }) { $1 })) }
    require(names.allSatisfy { part?[$0] == value[$0] }, "a member that is kept is what it is in the whole")
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
