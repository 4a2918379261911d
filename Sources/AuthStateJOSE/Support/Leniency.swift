/// A deviation from a specification that is read the way its sender meant it.
///
/// Each is harmless by the same argument: the sender gains nothing that it could not have by following the specification.
/// Docs/Conformance.md has the list, with the neighbouring attack that stays refused.
package enum Leniency: String, Sendable, CaseIterable {
    // JSON
    /// A byte order mark before a document (RFC 8259, section 8.1).
    case byteOrderMark
    /// An optional member that is null, empty, or of a type that cannot be used; it is absent.
    case unusableMember
    /// A text where a list of texts belongs; it is a list of one.
    case textForList
    /// A list of texts where one text belongs: of scopes, or with a single element.
    case listForText
    /// A number or a truth value in a string.
    case textForScalar

    // Answers of a provider
    /// Success with another status of 200 to 299 than the one that is specified.
    case otherSuccess
    /// A `token_type` that begins with `Bearer` and means it.
    case bearerTokenType
    /// A secret without the method to send it by: `client_secret_basic` (RFC 7591, section 2).
    case methodOfSecret
    /// A secret without the time of its end, which is then not known (RFC 7591, section 3.2.1).
    case secretExpiry
    /// A registration that names only one of its place and its token; it cannot be managed.
    case unmanageableRegistration
    /// A parameter of an authorization answer that decides nothing and comes twice; the first counts, of an explanation
    /// all.
    case repeatedParameter
    /// A nonce for DPoP that a resource asks for with status 400 (RFC 9449, section 9).
    case nonceStatus

    /// Parameters of a challenge that spaces separate, and no comma (RFC 9110, section 11.6.1).
    case challengeSpaces
    /// A value of a challenge without the quotation marks that it needs, as a URL does (RFC 9110, section 11.2).
    case challengeQuotes

    // Places
    /// A metadata document behind a redirect within its own origin.
    case metadataRedirect
    /// A page where the first metadata document belongs, and the document at the next place.
    case metadataPlace
    /// The whole name of a resource in the metadata at the root of its origin (RFC 9728, section 3.3).
    case rootMetadata
    /// The URL of a server's metadata where a resource's metadata name its issuer.
    case metadataForIssuer
    /// A slash at the end of an issuer's name in a resource's metadata, or none.
    case issuerSlash

    // Keys and ID tokens
    /// Padding, or the other alphabet of base64, in a published key's numbers (RFC 7518, section 2).
    case keyEncoding
    /// A number where a name belongs: a key's `kid`, a user's `sub`, a registered client's identifier.
    case numberForName
    /// A user's `sub` with characters beyond ASCII (OpenID Connect Core, section 2); its bytes are compared.
    case subjectLetters
    /// A claim that is null, or says as little; it is absent.
    case nullClaim
    /// An ID token that fails a check, where no identity was asked for; it is absent (OpenID Connect Core, section 3.1.2.1).
    case unwantedIDToken
    /// A renewed ID token with a later `auth_time`, where no `max_age` was asked for (OpenID Connect Core, section 12.2).
    case movedAuthenticationTime

    /// Collects what was read leniently, for the body of `reporting`.
    private final class Notes: Sendable {
        let entries = Lock<[(Leniency, String)]>([])
    }

    @TaskLocal private static var notes: Notes?

    /// Reports that this deviation was met in a member, claim or place; the subject is never a value.
    package func note(_ subject: @autoclosure () -> String) {
        guard let notes = Self.notes else { return }
        let subject = subject()
        notes.entries.withLock { entries in
            if !entries.contains(where: { $0 == self && $1 == subject }) { entries.append((self, subject)) }
        }
    }

    /// Runs a body, and then reports each deviation that it met, also when it throws.
    package static func reporting<R>(
        to report: (Leniency, _ subject: String) -> Void, _ body: () throws -> R
    ) rethrows -> R {
        let notes = Notes()
        defer { for (leniency, subject) in notes.entries.withLock({ $0 }) { report(leniency, subject) } }
        return try $notes.withValue(notes, operation: body)
    }
}

extension JSONValue {
    /// Reads an answer's document; a byte order mark before it is no part of it.
    package init(answer bytes: some Collection<UInt8>) throws(JSONError) {
        let bytes = Array(bytes)
        guard bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            self = try JSONValue(parsing: bytes)
            return
        }
        Leniency.byteOrderMark.note("document")
        self = try JSONValue(parsing: bytes.dropFirst(3))
    }
}
