extension TransportHeaders {
    /// The nonce that the server wants to see in the next proof (RFC 9449, section 8.1); nil when it sent none that can be
    /// used: one line, of characters that need no escape, and not longer than a header line may well be.
    package var dpopNonce: String? {
        let lines = self[values: "DPoP-Nonce"]
        guard lines.count == 1, let nonce = lines.first, !nonce.isEmpty, nonce.utf8.count <= 4096,
            nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            )
        else { return nil }
        return nonce
    }
}

extension AuthStateError {
    /// A server that asks for a nonce again, although its newest one was used, or that sends none.
    package static func nonceAgain(_ place: String, isMissing: Bool, stage: Stage, status: Int?) -> AuthStateError {
        AuthStateError(
            .useDPoPNonce, stage: stage,
            isMissing
                ? "The server asks for a DPoP nonce and sends none."
                : "The server asks for a DPoP nonce a second time.",
            expected: "an answer to the nonce that it sent", received: place,
            hint: "Try again; if it happens each time, check this machine's clock, and that one server answers.",
            response: OAuthErrorResponse(error: "use_dpop_nonce"), httpStatus: status)
    }
}
