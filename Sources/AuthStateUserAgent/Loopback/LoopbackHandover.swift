import AuthStateOAuth

/// An answer that the browser does not send here by itself, and that our own page therefore posts.
package enum LoopbackHandover: Sendable, Hashable {
    /// The answer may be in the fragment, which browsers send to no server.
    case fragment
    /// The provider's page posted the answer. Such a request lacks this server's cookie, because SameSite withholds it.
    case form(String)

    /// The field in which our page posts a fragment.
    static let fragmentField = "authstate_fragment"
    /// The field in which our page posts the provider's form, still encoded.
    static let formField = "authstate_form"

    /// Returns the field that a form of our page has; nil for a form of the provider's.
    static func field(of form: String, for purpose: UserAgentPurpose) -> String? {
        let fields = purpose == .login ? [fragmentField, formField] : [formField]
        return fields.first { form.hasPrefix("\($0)=") }
    }
}
