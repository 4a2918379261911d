import AuthStateFoundation

extension TransportRequest {
    /// A form with a client's proof, in the form of every endpoint where clients authenticate (RFC 6749, section 2.3).
    /// Throws `AuthStateError` with `.invalidArgument` when an additional parameter would replace one of those.
    init(
        posting own: Parameters, additional: Parameters = [:], to endpoint: URL, authentication: ClientAuthentication,
        stage: AuthStateError.Stage
    ) throws {
        var form = own
        var headers: TransportHeaders = [
            "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
        ]
        authentication.apply(to: &form, headers: &headers)
        try form.add(additional, stage: stage)
        self.init(method: "POST", url: endpoint, headers: headers, body: Data(form.encoded.utf8))
    }
}

extension Parameters {
    /// Adds the caller's parameters; throws `AuthStateError` with `.invalidArgument` where one would replace a request's own.
    mutating func add(_ additional: Parameters, reserved: [String] = [], stage: AuthStateError.Stage) throws {
        if let clash = additional.names.first(where: { self[$0] != nil || reserved.contains($0) }) {
            throw AuthStateError(
                .invalidArgument, stage: stage, "An additional parameter would replace \(clash).",
                hint: "Set the property of the request instead.")
        }
        merge(additional)
    }
}
