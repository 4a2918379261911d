import AuthStateKit
import AuthStatePlatform

extension Browser {
    /// Opens a page, follows its redirects and keeps the cookies of each place, as a browser does; the provider shows
    /// the user no page.
    static let scripted = Browser.custom { url in
        Task {
            var (next, cookies) = (Optional(url), [String: String]())
            for _ in 0..<5 {
                guard let url = next else { return }
                let place = "\(url.host ?? ""):\(url.port ?? 0)"
                var request = TransportRequest(url: url)
                if let cookie = cookies[place] { request.headers.append("Cookie", cookie) }
                let response = try await SystemTransport.shared.send(request)
                if let cookie = response.headers["Set-Cookie"] { cookies[place] = String(cookie.prefix { $0 != ";" }) }
                next = response.headers["Location"].flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
            }
        }
    }
}
