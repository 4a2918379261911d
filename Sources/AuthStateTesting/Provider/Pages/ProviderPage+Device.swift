import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderPage {
    /// A form for the code that a device shows; with the code known, for the decision (RFC 8628, section 3.3).
    ///
    /// - Parameter device: The code and its client; nil asks for the code.
    static func device(_ device: (userCode: String, clientID: String)?, message: String?) -> ProviderPage {
        let alert = message.map { "<p role=\"alert\" class=\"alert\">\($0.markupEscaped)</p>" } ?? ""
        guard let device else {
            return ProviderPage(
                title: "Connect a device",
                content: """
                    \(alert)
                    <form method="post">
                    <label for="user_code">The code that your device shows</label>
                    <input id="user_code" name="user_code" autocomplete="off" autofocus>
                    <div class="buttons"><button type="submit" id="continue">Continue</button></div>
                    </form>
                    """, formTargets: ["'self'"])
        }
        return ProviderPage(
            title: "Connect a device",
            content: """
                <p><strong>\(device.clientID.markupEscaped)</strong> asks for access. Does your device show this code?</p>
                <p><strong>\(device.userCode.markupEscaped)</strong></p>
                \(alert)
                <form method="post">
                \(hiddenFields(["user_code": device.userCode]))
                \(credentialFields(name: ""))
                \(decisionButtons)
                </form>
                """, formTargets: ["'self'"])
    }

    /// After the decision.
    static func deviceDecided(isAllowed: Bool) -> ProviderPage {
        ProviderPage(
            title: isAllowed ? "Your device is connected" : "Your device was refused",
            content: "<p>You can close this window and go back to your device.</p>")
    }
}
