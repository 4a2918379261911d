/// The resources that tokens shall be for (RFC 8707, section 2).
package enum ResourceIndicators {
    /// Refuses a value that is not an absolute URI, or has a fragment; throws `AuthStateError` with `.invalidArgument`.
    package static func check(_ resources: [String], stage: AuthStateError.Stage) throws {
        let malformed = resources.first { resource in
            let parts = URIReference(resource)
            return parts.scheme == nil || parts.fragment != nil || parts.host?.isEmpty ?? parts.path.isEmpty
                || !resource.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard let malformed else { return }
        throw AuthStateError(
            .invalidArgument, stage: stage, "This cannot name a resource.",
            expected: "an absolute URI without a fragment, such as https://api.example",
            received: URIReference(malformed).redacted)
    }

    /// The resources that a token request names again after a login that asked for these: the only one.
    ///
    /// With several it names none, which leaves the choice to the provider: many take one at the token endpoint.
    package static func single(_ resources: [String]) -> [String] { resources.count == 1 ? resources : [] }
}

extension Parameters {
    mutating func add(resources: [String], stage: AuthStateError.Stage) throws {
        try ResourceIndicators.check(resources, stage: stage)
        for resource in resources { append("resource", resource) }
    }
}
