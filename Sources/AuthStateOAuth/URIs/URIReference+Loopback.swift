extension URIReference {
    /// Whether the host reaches this machine, however it is written: for refusing, where `isLoopback` is for allowing.
    ///
    /// A name that only the resolver maps to this machine cannot be recognised from the text.
    package var reachesThisMachine: Bool {
        host.map { InternetAddress.isThisMachine($0) } ?? false
    }
}
