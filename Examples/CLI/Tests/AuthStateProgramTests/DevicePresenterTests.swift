import AuthStateKit
import Foundation
import Synchronization
import Testing

@testable import AuthStateProgram

/// How a login on another device is shown.
struct DevicePresenterTests {
    @Test(
        "its own login opens in the browser that was named, and that of another process does not",
        arguments: [true, false])
    func browser(isOwn: Bool) throws {
        let opened = Mutex<[URL]>([])
        let presenter = DevicePresenter(
            console: Console(isJSON: false, isServing: false),
            browser: .custom { url in opened.withLock { $0.append(url) } })
        let page = try #require(URL(string: "https://op.example/device"))
        let provider = ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: page)
        try presenter.show(
            DeviceAuthorizationResponse(
                request: DeviceAuthorizationRequest(Client(provider, id: "app")), deviceCode: isOwn ? "code" : "",
                userCode: "ABCD", verificationURI: page, expiresAt: Date(timeIntervalSinceNow: 600)))
        #expect(opened.withLock { $0 } == (isOwn ? [page] : []))
    }
}
