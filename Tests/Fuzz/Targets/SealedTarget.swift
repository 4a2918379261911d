import AuthStateFoundation
import AuthStateKit
import AuthStateStorage

private let sealingKey = try? SealingKey(id: "2026-11", bytes: Array(1...32))

/// Sealed states: nothing opens but what was sealed, and what is read is written as it was.
func fuzzSealed(_ bytes: [UInt8]) {
    guard let sealingKey else { fatalError("the key cannot be made") }
    guard let sealed = accepted({ try SealedArchive(data: Data(bytes)) }).flatMap({ $0 }) else { return }
    require(accepted { try SealedArchive(data: sealed.data) } == sealed, "read as it was written")
    guard let archive = accepted({ try sealed.open(as: "user/é", with: [sealingKey]) }) else { return }
    // The archive that the corpus has; an input that opens another one has broken the cipher.
    require(Array(archive).text == #"{"format":1,"state":{"refreshToken":"SECRET-refresh"}}"#, "nothing else opens")
    require(accepted { try sealed.open(as: "user/e", with: [sealingKey]) } == nil, "under no other key")
}
