import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Browser {
    /// Opens a page and follows its redirects, as a browser does; the provider asks nobody anything.
    static let scripted = Browser.custom { url in
        Task {
            var next: URL? = url
            for _ in 0..<5 {
                guard let url = next else { return }
                let response = try await SystemTransport.shared.send(TransportRequest(url: url))
                next = response.headers.first("Location").flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
            }
        }
    }
}
