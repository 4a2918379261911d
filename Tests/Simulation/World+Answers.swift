import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth

extension World {
    /// Handles a request as the provider, or a resource, and returns the answer.
    func answer(_ message: Message, _ request: TransportRequest, from process: Int) -> TransportResponse {
        let (proof, client) = (Proof(request), ClientProof(request))
        if let refusal = refusal(of: proof, client, to: message) { return refusal }
        let now = scheduler.now
        switch message {
        case .code(let number):
            return answer(provider.redeem(code: number, for: client?.client, at: now), to: message, proof)
        case .renewal(let token):
            let wasSpent = provider.isSpent(token)
            let bound = provider.grants[token.grant]?.ticket.thumbprint
            let verdict = provider.renew(token, at: now)
            let isProven = bound == nil || bound == proof?.thumbprint
            oracle(ofGrant: token.grant)?.arrived(token, from: process, wasSpent: wasSpent, isProven: isProven)
            return answer(verdict, to: message, proof)
        case .machine(let number): return answer(.tokens(provider.issue(machine: number, at: now)), to: message, proof)
        case .deviceCodes: return deviceCodes(provider.beginDevice())
        case .device(let number):
            guard let verdict = provider.redeem(device: number, for: client?.client, at: now) else {
                return refusal("authorization_pending")
            }
            return answer(verdict, to: message, proof)
        case .revocation(let token):
            note(0, "the provider revokes \(token.token)")
            provider.revoke(token, by: process)
            return TransportResponse(status: 200)
        case .keys: return json(provider.keySet)
        case .registration:
            let issuer = Self.origin(of: request.url)
            pages.registers(process, at: issuer, isResource: plan.holding == .resource)
            let (number, answer) = provider.register(at: issuer)
            note(0, "the provider registers client \(number)")
            return json(answer, status: 201)
        case .management(let token, let management):
            guard let answer = provider.manage(token, management) else { return TransportResponse(status: 401) }
            note(0, "the provider answers the \(management) with \(token.token)")
            return answer.isEmpty ? TransportResponse(status: 204) : json(answer)
        case .resource(let token): return resource(token, proof, isWrite: request.method == .post)
        case .anonymous: return challenge(plan.grants.isBound ? "DPoP" : "Bearer", isWrite: request.method == .post)
        case .resourceMetadata: return json(resourceMetadata)
        case .serverMetadata: return json(Self.serverMetadata(of: Self.origin(of: request.url)))
        case .unknown: return TransportResponse(status: 404)
        }
    }

    /// Refuses a request before it is looked at: for a proof without the newest nonce, or a client's old secret.
    private func refusal(of proof: Proof?, _ client: ClientProof?, to message: Message) -> TransportResponse? {
        if let proof, !provider.takesNonce(of: proof) {
            let headers: TransportHeaders = [
                "Content-Type": "application/json", "DPoP-Nonce": provider.nonces.newest,
                "WWW-Authenticate": #"DPoP error="use_dpop_nonce""#,
            ]
            if case .resource = message { return TransportResponse(status: 401, headers: headers) }
            return TransportResponse(status: 400, headers: headers, body: Data(#"{"error":"use_dpop_nonce"}"#.utf8))
        }
        if let client, !provider.authenticates(client.client, client.secret) {
            return refusal("invalid_client", status: 401)
        }
        return nil
    }

    private func answer(
        _ verdict: SimulatedProvider.Verdict, to message: Message, _ proof: Proof?
    ) -> TransportResponse {
        switch verdict {
        case .tokens(let issued):
            if let ticket = provider.grants[issued.access.grant]?.ticket {
                oracle(ticket.key).granted(issued.access.grant, by: ticket.decision)
            }
            let refresh = issued.refresh.map { ", \($0.token)" } ?? ""
            note(0, "the provider answers \(message): \(issued.access.token)\(refresh)")
            var members = [
                #""access_token":"\#(issued.access.token)""#, #""token_type":"\#(proof == nil ? "Bearer" : "DPoP")""#,
                #""expires_in":\#(provider.rules.lifetime)"#,
            ]
            if let refresh = issued.refresh { members.append(#""refresh_token":"\#(refresh.token)""#) }
            if let scopes = provider.grants[issued.access.grant]?.ticket.scopes, !scopes.isEmpty {
                members.append(#""scope":"\#(scopes.sorted().joined(separator: " "))""#)
            }
            if let idToken = issued.idToken { members.append(#""id_token":"\#(idToken)""#) }
            return json("{\(members.joined(separator: ","))}")
        case .refused(let reason):
            note(0, "the provider refuses \(message): \(reason)")
            return refusal("invalid_grant")
        }
    }

    private func resource(_ token: TokenName, _ proof: Proof?, isWrite: Bool) -> TransportResponse {
        let ticket = provider.grants[token.grant]?.ticket
        let isBound = ticket?.thumbprint == nil || ticket?.thumbprint == proof?.thumbprint
        guard provider.accepts(token.token, at: scheduler.now), isBound else {
            return challenge((proof == nil ? "Bearer" : "DPoP") + #" error="invalid_token""#, isWrite: isWrite)
        }
        if isWrite, ticket?.scopes.contains("write") != true {
            let scheme = proof == nil ? "Bearer" : "DPoP"
            return challenge(scheme + #" error="insufficient_scope""#, isWrite: true, status: 403)
        }
        return json(#"{"subject":"\#(ticket?.subject ?? "")"}"#)
    }

    /// The resource's answer to a request whose token does not do.
    private func challenge(_ text: String, isWrite: Bool, status: Int = 401) -> TransportResponse {
        var text = text
        if plan.holding == .resource {
            var scopes = isWrite && status == 403 ? "read write" : "read"
            if plan.breakage == .stepUpsAreMany, status == 403 { scopes += " more-\(Int(scheduler.now * 1000))" }
            text +=
                "\(text.contains("=") ? "," : "") scope=\"\(scopes)\", resource_metadata=\"\(Self.resourceMetadataURL)\""
        }
        return TransportResponse(status: status, headers: ["WWW-Authenticate": text])
    }

    private func deviceCodes(_ number: Int) -> TransportResponse {
        json(
            """
            {"device_code":"device-\(number)","user_code":"USER-\(number)","verification_uri":"\(Self.issuer)/confirm",\
            "expires_in":600,"interval":5}
            """)
    }

    private func refusal(_ error: String, status: Int = 400) -> TransportResponse {
        json(#"{"error":"\#(error)"}"#, status: status)
    }

    private func json(_ text: String, status: Int = 200) -> TransportResponse {
        TransportResponse(status: status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
    }
}
