import AuthStateOAuth
import AuthStateSystem

extension AuthState {
    /// An answer of the authorization endpoint, apart from the part that all logins have in common, which can be kept
    /// once.
    struct SpentAuthorization: Sendable, Hashable {
        /// The answer without the parts that only this login has.
        var common: Box<AuthorizationResponse>
        /// Code, state, verifier and nonce, one behind the other: four strings would take twice the memory.
        private let secrets: String
        /// The ends of the code, the state and the verifier in `secrets`, in bytes.
        private let codeEnd, stateEnd, verifierEnd: Int32
        private let hasNonce: Bool
        private let additionalParameters: Parameters

        /// A placeholder where a verifier is required.
        private static let noVerifier = CodeVerifier()

        init(_ response: AuthorizationResponse) {
            let request = response.request
            codeEnd = Int32(clamping: response.code.utf8.count)
            stateEnd = codeEnd + Int32(clamping: request.state.utf8.count)
            verifierEnd = stateEnd + Int32(clamping: request.codeVerifier.rawValue.utf8.count)
            // Not with `+`, which leaves room to grow.
            var secrets = ""
            secrets.reserveCapacity(Int(verifierEnd) + (request.nonce?.utf8.count ?? 0))
            for secret in [response.code, request.state, request.codeVerifier.rawValue, request.nonce ?? ""] {
                secrets += secret
            }
            self.secrets = secrets
            hasNonce = request.nonce != nil
            additionalParameters = response.additionalParameters
            var common = response
            (common.code, common.additionalParameters) = ("", [:])
            (common.request.state, common.request.nonce) = ("", nil)
            common.request.codeVerifier = Self.noVerifier
            // The state has both: nothing is kept twice, and no secret.
            common.request = common.request.withoutClient
            common.request.dpopKey = nil
            self.common = Box(common)
        }

        /// The whole answer.
        var response: AuthorizationResponse {
            var response = common.value
            (response.code, response.additionalParameters) = (secret(0, codeEnd), additionalParameters)
            response.request.state = secret(codeEnd, stateEnd)
            // It was a verifier before.
            response.request.codeVerifier = (try? CodeVerifier(secret(stateEnd, verifierEnd))) ?? Self.noVerifier
            response.request.nonce = hasNonce ? secret(verifierEnd, Int32(clamping: secrets.utf8.count)) : nil
            return response
        }

        private func secret(_ start: Int32, _ end: Int32) -> String {
            String(decoding: secrets.utf8.dropFirst(Int(start)).prefix(Int(end - start)), as: UTF8.self)
        }
    }
}
