/// The addresses that a request may be sent to.
///
/// A URL that a user typed, or that came from another server, can name a machine of the internal network: a router's
/// page, a database, a cloud's metadata service. The program then asks it in the user's place (server-side request
/// forgery). The policy travels with the request, because a name has to be checked after it was resolved: a transport
/// checks each address that it is about to connect to.
public struct AddressPolicy: RawRepresentable, Sendable, Hashable, Codable {
    /// The policy's name.
    public var rawValue: String
    /// Makes a policy; an unknown name is as strict as `publicOnly`.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Every address: for URLs that the program itself was configured with.
    public static let any = AddressPolicy(rawValue: "any")
    /// Addresses of the public internet only, see `InternetAddress.isPublic`: for URLs from outside.
    public static let publicOnly = AddressPolicy(rawValue: "publicOnly")

    /// Whether a connection to an address may be opened.
    public func allows(_ address: InternetAddress) -> Bool { self == .any || address.isPublic }

    /// Whether a host may be asked, as far as its text tells: addresses are checked, `localhost` is refused, other names
    /// pass until they are resolved.
    public func allows(host: String) -> Bool {
        guard self != .any else { return true }
        if let address = InternetAddress(host: host) { return address.isPublic }
        return !InternetAddress.isNameOfThisMachine(host)
    }
}
