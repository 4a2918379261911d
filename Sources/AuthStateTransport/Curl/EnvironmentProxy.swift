#if os(Linux)
    import AuthStateLibc
    import AuthStateOAuth

    /// The proxy that the environment names for a request, as libcurl reads it.
    ///
    /// libcurl chooses by itself for most requests. A request with a strict policy gets its proxy by this choice: an error in it
    /// leads to a connection that is checked, or to a proxy that the user has named.
    struct EnvironmentProxy {
        let url: String
        /// The variable, and host and port without a user: for messages.
        let description: String
        let host: String
        /// Whether the proxy resolves the names of servers; a SOCKS proxy may be given addresses instead.
        let resolvesNames: Bool

        init?(for request: WireRequest) {
            // Programs behind a web server may be given HTTP_PROXY by a stranger's request.
            let names = request.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
            let name = (names + ["all_proxy", "ALL_PROXY"]).first { Self.variable($0) != nil }
            guard let name, let value = Self.variable(name), !request.reachesThisMachine,
                !Self.isExempt(request.host, by: Self.variable("no_proxy") ?? Self.variable("NO_PROXY") ?? "")
            else { return nil }
            let parts = URIReference(value.contains("://") ? value : "http://\(value)")
            guard let host = parts.host, !host.isEmpty else { return nil }
            url = value
            self.host = String(host)
            description = "\(host)\(parts.port.map { ":\($0)" } ?? "") (\(name))".printable()
            resolvesNames = ["http", "https", "socks4a", "socks5h"].contains { parts.hasScheme($0) }
        }

        /// Returns one variable, nil for an empty one, as libcurl reads it. A dictionary of all took two fifths of a request's time.
        private static func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }

        /// Whether a list of exempt hosts has a host, or a domain of it.
        private static func isExempt(_ host: String, by list: String) -> Bool {
            let host = host.lowercased()
            return list.split { $0 == "," || $0 == " " }.contains { entry in
                let domain = entry.lowercased().drop { $0 == "." }
                return domain == "*" || domain == host || host.hasSuffix(".\(domain)")
            }
        }
    }
#endif
