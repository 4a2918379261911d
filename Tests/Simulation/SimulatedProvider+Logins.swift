import AuthStateKit

/// A login as the user asked for it: what its code, its device code or its request leads to.
struct Ticket: Hashable {
    var number = 0
    /// The key of the state that it is for, and the number of its decision in the oracle.
    var key: AuthStateKey
    var decision: Int
    /// The user who logs in.
    var subject: String
    /// The nonce that the ID token has to repeat.
    var nonce: String?
    /// The key that the tokens are bound to (RFC 9449); nil for bearer tokens.
    var thumbprint: String?
    /// Whether a client asks in its own name, and by asking again gets new tokens.
    var isMachine = false
    /// The authorization server at which it was made.
    var issuer = World.issuer
    /// The scopes that are granted.
    var scopes: Set<String> = []
}

extension SimulatedProvider {
    /// Notes a login, and returns the number that its code bears.
    func note(_ ticket: Ticket) -> Int {
        var ticket = ticket
        ticket.number = tickets.count
        tickets.append(ticket)
        return ticket.number
    }

    /// Exchanges a code, once: a second exchange ends the grant.
    func redeem(code number: Int, for client: Int?, at now: Double) -> Verdict {
        guard tickets.indices.contains(number) else { return .refused("an unknown code") }
        if let grant = redeemed[number] {
            end(grant, "its code was used twice")
            return .refused("the code was used before")
        }
        return .tokens(grant(tickets[number], to: client, at: now))
    }

    /// Issues the codes of a login on another device.
    func beginDevice() -> Int {
        devices.append(nil)
        return devices.count - 1
    }

    /// Lets a user confirm a login on another device.
    func confirm(device: Int, _ ticket: Ticket) { devices[device] = note(ticket) }

    /// Answers the question for the tokens of a device; nil while its user has not confirmed.
    func redeem(device: Int, for client: Int?, at now: Double) -> Verdict? {
        devices[device].map { redeem(code: $0, for: client, at: now) }
    }

    /// Issues a token to a client that asks in its own name, again and again.
    func issue(machine number: Int, at now: Double) -> Issued {
        if let grant = redeemed[number] { return issue(grant, refresh: nil, at: now) }
        return grant(tickets[number], at: now)
    }
}
