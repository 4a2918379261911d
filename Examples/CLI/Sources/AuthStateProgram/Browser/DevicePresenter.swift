import AuthStateKit
import AuthStatePlatform

/// Tells the user where to confirm a login on another device, and opens the page when a browser was named; that of another
/// process's login is open.
struct DevicePresenter: Sendable {
    let console: Console
    let browser: Browser?

    /// Shows code and address always: the user compares the code with the one on the page (RFC 8628, section 5.4).
    func show(_ response: DeviceAuthorizationResponse) throws {
        var text = """
            To log in, open this address on any device:

              \(response.verificationURI.absoluteString)

            and enter the code:

              \(response.userCode)

            """
        if let complete = response.verificationURIComplete {
            text += """

                Or open this one, and compare the code with the one above:

                  \(complete.absoluteString)

                """
        }
        console.note(text)
        if response.deviceCode.isEmpty { return }
        let page = response.verificationURIComplete ?? response.verificationURI
        // The code on the screen is enough, even when the browser fails.
        try browser?.open(page, stage: .authorization) { console.note("authstate: \($0.message)") }
    }
}
