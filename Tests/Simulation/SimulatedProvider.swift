/// A provider's memory: grants, clients, keys, and which of their tokens are the newest.
///
/// A request that arrives here has taken effect: the provider knows nothing of answers that are lost on their way.
final class SimulatedProvider {
    /// A grant to a user, or to a client by itself.
    struct Grant {
        let ticket: Ticket
        /// The client that it was granted to; nil for the public client that all processes share.
        var client: Int?
        /// The reason for its end; nil while it is alive.
        var end: String?
        /// The number of the newest refresh token.
        var newest = 0
        /// Access tokens so far.
        var issued = 0
        /// The time at which each refresh token was spent.
        var spent: [Int: Double] = [:]

        var isAlive: Bool { end == nil }
    }

    /// Tokens as they are issued.
    struct Issued {
        var access: TokenName
        var refresh: TokenName?
        /// Signed by the provider's key; nil for a plan without ID tokens.
        var idToken: String?
    }

    /// The outcome of a request for tokens.
    enum Verdict {
        case tokens(Issued)
        case refused(String)
    }

    let rules: ProviderRules
    let grantKind: GrantKind
    let breakage: Breakage?
    var grants: [Int: Grant] = [:]
    /// Logins that were begun; each has a number that its code bears.
    var tickets: [Ticket] = []
    /// The grant of each ticket that was redeemed.
    var redeemed: [Int: Int] = [:]
    var clients: [Int: Client] = [:]
    /// The number of clients that were forgotten.
    var forgotten = 0
    /// The authorization server that the resource names, and whose tokens it takes.
    var named = World.issuer
    /// Devices whose codes were asked for, and the ticket of each that a user has confirmed.
    var devices: [Int?] = []
    var signing = Signing()
    var nonces = Nonces()
    private var expiry: [TokenName: Double] = [:]
    private var revoked: Set<TokenName> = []

    init(_ plan: Plan) { (rules, grantKind, breakage) = (plan.provider, plan.grants, plan.breakage) }

    /// Grants what a ticket asks for, and issues the first tokens.
    func grant(_ ticket: Ticket, to client: Int? = nil, at now: Double) -> Issued {
        let number = grants.count + 1
        grants[number] = Grant(ticket: ticket, client: client)
        redeemed[ticket.number] = number
        return issue(number, refresh: ticket.isMachine ? nil : 0, nonce: ticket.nonce, at: now)
    }

    /// Redeems a refresh token, and detects reuse.
    func renew(_ token: TokenName, at now: Double) -> Verdict {
        guard let grant = grants[token.grant], grant.isAlive else { return .refused("the grant has ended") }
        if breakage == .goodTokensAreRefused, grant.issued > 2 { return .refused("a good token") }
        if breakage == .spentTokensAreGood {
            grants[token.grant]?.spent[token.number] = now
            return .tokens(issue(token.grant, refresh: token.number, at: now))
        }
        guard token.number == grant.newest else {
            if let spent = grant.spent[token.number], now - spent <= rules.grace {
                return .tokens(issue(token.grant, refresh: grant.newest, at: now))
            }
            if rules.detectsReuse { end(token.grant, "reuse of \(token.token)") }
            return .refused("\(token.token) was spent before")
        }
        guard rules.rotates else { return .tokens(issue(token.grant, refresh: nil, at: now)) }
        grants[token.grant]?.spent[token.number] = now
        grants[token.grant]?.newest += 1
        return .tokens(issue(token.grant, refresh: token.number + 1, at: now))
    }

    /// Issues another access token of a grant.
    func issue(_ number: Int, refresh: Int?, nonce: String? = nil, at now: Double) -> Issued {
        grants[number]?.issued += 1
        let access = TokenName(.access, number, grants[number]?.issued ?? 0)
        let lifetime = Double(rules.lifetime)
        expiry[access] = now + (breakage == .tokensEndEarly ? lifetime / 8 : lifetime)
        return Issued(
            access: access, refresh: refresh.map { TokenName(.refresh, number, $0) },
            idToken: idToken(of: number, nonce: nonce, at: now))
    }

    /// Ends a grant; a client that asks in its own name may ask again, and only its tokens so far end.
    func end(_ number: Int, _ reason: String) {
        guard let grant = grants[number], grant.isAlive else { return }
        if grant.ticket.isMachine {
            for token in 0...grant.issued { revoked.insert(TokenName(.access, number, token)) }
        } else {
            grants[number]?.end = reason
        }
    }

    /// Revokes a token: with a refresh token the whole grant ends, with an access token that token alone.
    func revoke(_ token: TokenName, by process: Int) {
        if token.kind == .refresh { end(token.grant, "revoked by process \(process)") } else { revoked.insert(token) }
    }

    /// Whether a resource takes a token.
    func accepts(_ token: String, at now: Double) -> Bool {
        guard let name = TokenName(token), let expiry = expiry[name], !revoked.contains(name) else { return false }
        guard let grant = grants[name.grant], grant.isAlive else { return false }
        return grant.ticket.issuer == named && now < expiry
    }

    /// The time at which an access token expires.
    func end(of token: String) -> Double? { TokenName(token).flatMap { expiry[$0] } }

    /// Whether a refresh token was exchanged for another one.
    func isSpent(_ name: TokenName) -> Bool { grants[name.grant]?.spent[name.number] != nil }
}
