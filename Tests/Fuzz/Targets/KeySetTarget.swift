@testable import AuthStateJOSE

/// Key sets: what is read is written and read as it was, without anything secret, and can be imported or is refused.
func fuzzKeySet(_ bytes: [UInt8]) {
    guard let set = accepted({ try JSONWebKeySet(parsing: bytes) }) else { return }
    let again = accepted { try JSONWebKeySet(json: set.json) }
    require(again == set, "a key set is read as it was written")
    for key in set.verificationKeys.prefix(4) {
        require(!key.key.isPrivate && key.key.keyType != "oct", "nothing secret in a published set")
        requireFitForLog(key.description)
        guard let info = key.key.subjectPublicKeyInfo else { fatalError("broken: a public key without its DER") }
        require(JSONWebKey.material(subjectPublicKeyInfo: info) == key.key.material, "DER is read as it was written")
        let algorithm = key.key.algorithms[0]
        let isValid = accepted { try key.isValid([1, 2, 3], for: bytes, algorithm: algorithm) }
        require(isValid != true, "three bytes are no signature")
    }
    // A document with one key is a key too, private ones included.
    guard let json = try? JSONValue(parsing: bytes), let first = json["keys"]?.arrayValue?.first,
        let key = accepted({ try JSONWebKey(json: first) })
    else { return }
    require(accepted { try JSONWebKey(json: key.privateJSON) } == key, "a private key is read as it was written")
    requireFitForLog(key.description)
    if key.isPrivate { _ = accepted { try SigningKey(key).sign(bytes) } }
}
