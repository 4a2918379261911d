/// A JSON Web Key Set (RFC 7517, section 5) whose keys are imported on first use and kept.
///
/// Copies share the imported keys: keep one set per provider and verify with it until it is fetched again.
public struct JSONWebKeySet: Sendable, Equatable {
    /// More keys than any provider publishes; a token without `kid` is tried against all that fit.
    private static let maximumCount = 256

    package let verificationKeys: [VerificationKey]
    /// The reasons why keys were skipped, by their `kid`.
    private var skipped: [String?: String] = [:]

    /// The keys as they came, without those that were skipped.
    public var keys: [JSONWebKey] { verificationKeys.map(\.key) }

    /// Makes a set of keys.
    public init(keys: [JSONWebKey], backend: any CryptoBackend = Cryptography.backend) {
        verificationKeys = keys.map { VerificationKey($0, backend: backend) }
    }

    private init(verificationKeys: [VerificationKey]) { self.verificationKeys = verificationKeys }

    /// Reads a set from the bytes of its document; throws ``JOSEError`` with `malformed`.
    public init(
        parsing bytes: some Collection<UInt8>, backend: any CryptoBackend = Cryptography.backend
    ) throws(JOSEError) {
        let json: JSONValue
        do {
            json = try JSONValue(answer: bytes)
        } catch {
            throw JOSEError(.malformed, "the key set is not JSON: \(error)")
        }
        try self.init(json: json, backend: backend)
    }

    /// Reads a set from its JSON object; throws ``JOSEError`` with `malformed` when it has no `keys`, or more than 256.
    ///
    /// Keys of unknown types, curves or uses, and keys with a fault, are skipped (section 5). So are symmetric keys,
    /// because a published secret protects nothing. Private numbers, should a provider publish any, are dropped.
    public init(json: JSONValue, backend: any CryptoBackend = Cryptography.backend) throws(JOSEError) {
        guard let entries = json["keys"]?.arrayValue else {
            throw JOSEError(.malformed, "the key set has no array of keys")
        }
        guard entries.count <= Self.maximumCount else {
            throw JOSEError(
                .malformed, "the key set is too large", expected: "\(Self.maximumCount) keys at most",
                received: "\(entries.count)")
        }
        var (keys, skipped): ([JSONWebKey], [String?: String]) = ([], [:])
        for entry in entries {
            do throws(JOSEError) {
                let key = try JSONWebKey(json: entry)
                guard TrustCheck.publishedSecret.holds(key.keyType != "oct") else {
                    throw JOSEError(.malformed, "a published key is secret")
                }
                keys.append(key.privateMaterial == nil ? key : key.publicKey)
            } catch {
                let name = entry["kid"]
                skipped[name?.stringValue ?? name?.digits] = error.message
            }
        }
        self.init(keys: keys, backend: backend)
        self.skipped = skipped
    }

    /// Why a key of that `kid`, or else one whose `kid` cannot be read, was skipped; nil when none was.
    func skipped(_ keyID: String?) -> String? { skipped[keyID] ?? skipped[String?.none] }

    /// The keys that may have signed a token with this header.
    ///
    /// With a `kid` only keys of that name; without one all keys. Of these the ones whose type, curve, `alg`, `use` and
    /// `key_ops` allow verifying with the header's algorithm.
    package func candidates(for header: JOSEHeader) -> [VerificationKey] {
        guard let scheme = header.algorithm.scheme else { return [] }
        return named(header.keyID).filter { $0.key.fits(scheme, for: .verify) }
    }

    /// The set of the keys that fulfil a condition; imported keys stay imported.
    package func filter(_ isIncluded: (JSONWebKey) -> Bool) -> JSONWebKeySet {
        JSONWebKeySet(verificationKeys: verificationKeys.filter { isIncluded($0.key) })
    }

    /// The keys with that `kid`; all keys when it is nil.
    func named(_ keyID: String?) -> [VerificationKey] {
        guard let keyID else { return verificationKeys }
        return verificationKeys.filter { key in TrustCheck.keyID.holds(key.key.keyID == keyID) }
    }

    /// The set as a JSON object, without anything secret: the form in which a provider publishes it.
    public var json: JSONValue { ["keys": .array(keys.map(\.json))] }

    /// Whether both hold the same keys in the same order.
    public static func == (a: JSONWebKeySet, b: JSONWebKeySet) -> Bool { a.keys == b.keys }
}
