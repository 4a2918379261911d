import AuthStateFoundation

extension TransportRequest {
    /// A form with a client's proof, in the form of every endpoint where clients authenticate (RFC 6749, section 2.3).
    ///
    /// - Parameters:
    ///   - own: The request's own parameters.
    ///   - additional: The caller's parameters; these may not replace the request's own, nor those of the client's
    ///     proof.
    /// - Throws: `AuthStateError` with `.invalidArgument`.
    init(
        posting own: Parameters, additional: Parameters = [:], to endpoint: URL, authentication: ClientAuthentication,
        stage: AuthStateError.Stage
    ) throws {
        var form = own
        var headers: TransportHeaders = [
            "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
        ]
        authentication.apply(to: &form, headers: &headers)
        if let clash = additional.names.first(where: { form[$0] != nil }) {
            throw AuthStateError(
                .invalidArgument, stage: stage, "An additional parameter would replace \(clash).",
                hint: "Set the property of the request instead."
            )
        }
        form.merge(additional)
        self.init(method: "POST", url: endpoint, headers: headers, body: Data(form.encoded.utf8))
    }
}
