/// The header of a signed token (RFC 7515, section 4.1).
///
/// Keys that the token brings along or points to (`jwk`, `jku`, `x5c`, `x5u`) are in ``json`` and are never used.
package struct JOSEHeader: Sendable, Hashable {
    /// `alg`, as the token claims it; the verifier decides which algorithms are accepted.
    package let algorithm: SignatureAlgorithm
    package let keyID: String?
    /// `typ`, for example `JWT` or `dpop+jwt`.
    package let type: String?
    package let json: JSONValue

    /// Reads a header from its JSON object.
    ///
    /// Throws ``JOSEError``: `malformed` when `alg` is missing or a member has the wrong type, `critNotSupported` when
    /// `crit` is there at all, because no extension is implemented (RFC 7515, section 4.1.11).
    package init(json: JSONValue) throws(JOSEError) {
        guard let members = json.objectValue else { throw JOSEError(.malformed, "the header is not a JSON object") }
        func text(_ name: String) throws(JOSEError) -> String? {
            guard let member = members[name], member != .null else { return nil }
            guard let text = member.stringValue else {
                throw JOSEError(.malformed, "the header's \(name) is not a string")
            }
            guard name == "kid", text.isEmpty else { return text }
            Leniency.unusableMember.note(name)
            return nil
        }
        guard TrustCheck.criticalHeader.holds(members["crit"] == nil) else {
            throw JOSEError(.critNotSupported, "the header names extensions that must be understood; none is")
        }
        guard let algorithm = try text("alg") else { throw JOSEError(.malformed, "the header has no alg") }
        self.algorithm = SignatureAlgorithm(rawValue: algorithm)
        if case .number(let number) = members["kid"] {
            Leniency.numberForName.note("kid")
            self.keyID = number.text
        } else {
            self.keyID = try text("kid")
        }
        self.type = try text("typ")
        self.json = json
    }
}
