/// The name of a token: whose grant, which kind, the how-many-eth.
struct TokenName: Hashable {
    var grant: Int
    var kind: Character
    var number: Int

    init(_ kind: Character, grant: Int, number: Int) { (self.kind, self.grant, self.number) = (kind, grant, number) }

    /// Reads a name, for example `refresh-2.1`.
    init?(_ token: String?) {
        guard let token, let kind = token.first, let dash = token.firstIndex(of: "-") else { return nil }
        let parts = token[token.index(after: dash)...].split(separator: ".").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        self.init(kind, grant: parts[0], number: parts[1])
    }

    /// The token itself.
    var token: String { "\(kind == "r" ? "refresh" : "access")-\(grant).\(number)" }
}

/// A provider's memory: grants, and which of their refresh tokens is the newest.
final class SimulatedProvider {
    struct Grant {
        var isAlive = true
        /// Why it ended.
        var end: String?
        /// The number of the newest refresh token.
        var newest = 0
        /// Tokens so far.
        var issued = 0
        /// When each refresh token was spent.
        var spent: [Int: Double] = [:]
    }

    /// What became of a refresh token.
    enum Renewal {
        case tokens(access: TokenName, refresh: TokenName?)
        case refused(String)
    }

    let rules: ProviderRules
    private(set) var grants: [Int: Grant] = [:]
    private var expiry: [TokenName: Double] = [:]

    init(rules: ProviderRules) { self.rules = rules }

    /// Grants something to a user who logs in.
    func login(at now: Double) -> (access: TokenName, refresh: TokenName) {
        let number = grants.count + 1
        grants[number] = Grant()
        return (access(of: number, at: now), TokenName("r", grant: number, number: 0))
    }

    private func access(of number: Int, at now: Double) -> TokenName {
        grants[number]?.issued += 1
        let name = TokenName("a", grant: number, number: grants[number]?.issued ?? 0)
        expiry[name] = now + Double(rules.lifetime)
        return name
    }

    /// Renews, and detects reuse.
    func renew(_ token: TokenName, at now: Double) -> Renewal {
        guard let grant = grants[token.grant], grant.isAlive else { return .refused("the grant has ended") }
        guard token.number == grant.newest else {
            if let spent = grant.spent[token.number], now - spent <= rules.grace {
                return .tokens(
                    access: access(of: token.grant, at: now),
                    refresh: TokenName("r", grant: token.grant, number: grant.newest))
            }
            if rules.detectsReuse { end(token.grant, "reuse of \(token.token)") }
            return .refused("\(token.token) was spent before")
        }
        let fresh = access(of: token.grant, at: now)
        guard rules.rotates else { return .tokens(access: fresh, refresh: nil) }
        grants[token.grant]?.spent[token.number] = now
        grants[token.grant]?.newest += 1
        return .tokens(access: fresh, refresh: TokenName("r", grant: token.grant, number: token.number + 1))
    }

    /// Ends a grant.
    func end(_ number: Int, _ reason: String) {
        guard grants[number]?.isAlive == true else { return }
        grants[number]?.isAlive = false
        grants[number]?.end = reason
    }

    /// Whether a resource takes a token.
    func accepts(_ token: String, at now: Double) -> Bool {
        guard let name = TokenName(token), let expiry = expiry[name] else { return false }
        return grants[name.grant]?.isAlive == true && now < expiry
    }

    /// When an access token ends.
    func end(of token: String) -> Double? { TokenName(token).flatMap { expiry[$0] } }

    /// Whether a refresh token was exchanged for another one.
    func isSpent(_ name: TokenName) -> Bool { grants[name.grant]?.spent[name.number] != nil }
}
