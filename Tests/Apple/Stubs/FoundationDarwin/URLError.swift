import FoundationEssentials

public struct URLError: Error, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }

    public let code: Code
    public init(_ code: Code) { self.code = code }
    public var localizedDescription: String { "The operation couldn’t be completed. (\(code.rawValue))" }
}

extension URLError.Code {
    public static var unknown: Self { Self(rawValue: -1) }
    public static var cancelled: Self { Self(rawValue: -999) }
    public static var badURL: Self { Self(rawValue: -1000) }
    public static var timedOut: Self { Self(rawValue: -1001) }
    public static var unsupportedURL: Self { Self(rawValue: -1002) }
    public static var cannotFindHost: Self { Self(rawValue: -1003) }
    public static var cannotConnectToHost: Self { Self(rawValue: -1004) }
    public static var networkConnectionLost: Self { Self(rawValue: -1005) }
    public static var dnsLookupFailed: Self { Self(rawValue: -1006) }
    public static var httpTooManyRedirects: Self { Self(rawValue: -1007) }
    public static var resourceUnavailable: Self { Self(rawValue: -1008) }
    public static var notConnectedToInternet: Self { Self(rawValue: -1009) }
    public static var badServerResponse: Self { Self(rawValue: -1011) }
    public static var userCancelledAuthentication: Self { Self(rawValue: -1012) }
    public static var cannotDecodeContentData: Self { Self(rawValue: -1016) }
    public static var cannotParseResponse: Self { Self(rawValue: -1017) }
    public static var internationalRoamingOff: Self { Self(rawValue: -1018) }
    public static var callIsActive: Self { Self(rawValue: -1019) }
    public static var dataNotAllowed: Self { Self(rawValue: -1020) }
    public static var appTransportSecurityRequiresSecureConnection: Self { Self(rawValue: -1022) }
    public static var secureConnectionFailed: Self { Self(rawValue: -1200) }
    public static var serverCertificateHasBadDate: Self { Self(rawValue: -1201) }
    public static var serverCertificateUntrusted: Self { Self(rawValue: -1202) }
    public static var serverCertificateHasUnknownRoot: Self { Self(rawValue: -1203) }
    public static var serverCertificateNotYetValid: Self { Self(rawValue: -1204) }
    public static var clientCertificateRejected: Self { Self(rawValue: -1205) }
    public static var clientCertificateRequired: Self { Self(rawValue: -1206) }
}
