package import AuthStateFoundation
import AuthStateJOSE

/// A JSON resource descriptor as far as it leads to the issuer (RFC 7033, section 4.4); other members are ignored.
package struct WebFingerAnswer: Sendable, Hashable {
    /// The subject of the descriptor; it may be another URI of the same user than the requested one.
    package let subject: String?
    /// The issuer of the first link that has the relation.
    package let issuer: Issuer

    /// Reads a descriptor. Throws `AuthStateError`: `.invalidMetadata`, `.discoveryFailed` when no link leads to an
    /// issuer, `.invalidIssuer` when the link is not an issuer.
    package init(parsing body: Data) throws {
        guard let members = (try? JSONValue(answer: body))?.objectValue else { throw Self.malformed("a JSON object") }
        subject = AnswerMembers(members).text("subject")
        guard let links = (AnswerMembers(members)["links"] ?? []).arrayValue else {
            throw Self.malformed("a list of links")
        }
        guard let first = links.first(where: { $0["rel"]?.stringValue == WebFingerQuery.relation }) else {
            throw AuthStateError(
                .discoveryFailed, stage: .discovery, "The host does not say who logs this user in.",
                expected: "a link \(WebFingerQuery.relation)", received: "\(links.count) other links",
                hint: "Use the issuer itself.")
        }
        guard let href = first["href"]?.stringValue else { throw Self.malformed("an href in the issuer's link") }
        // A link to the metadata leads to the same provider, which has to name the issuer.
        let name = Issuer.name(of: href)
        if name != href { Leniency.metadataForIssuer.note("href") }
        issuer = try Issuer(name)
    }

    private static func malformed(_ expected: String) -> AuthStateError {
        AuthStateError(
            .invalidMetadata, stage: .discovery, "The WebFinger answer cannot be read.", expected: expected,
            hint: "Use the issuer itself.")
    }
}
