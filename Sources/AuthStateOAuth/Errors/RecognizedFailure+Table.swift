extension RecognizedFailure {
    /// All failures that are recognised; the first match is taken.
    ///
    /// Microsoft's numbers: https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes
    static let table = [
        RecognizedFailure(
            .redirectMismatch,
            hint:
                "Register the redirect URI for this client at the provider, character by character: scheme, host, port, "
                + "path, and a slash at its end (Microsoft: as one of mobile and desktop applications).",
            at: [.authorization, .token],
            signs: .errors(["redirect_uri_mismatch"]),
            .words([
                "redirect_uri", "redirect uri", "redirecturi", "redirect url", "callback url", "aadsts50011",
                "aadsts500113", "aadsts9002327",
            ])),
        RecognizedFailure(
            .wrongTenant,
            hint:
                "Use the issuer of the tenant that the client and the user belong to; common and organizations are for "
                + "clients that are registered for many tenants.",
            signs: .words(["aadsts90002", "aadsts50020", "aadsts50194"])),
        // The example sentence of RFC 6749, section 5.2, which names an unknown client among others.
        RecognizedFailure(
            .clientRefused,
            hint:
                "Check the client's identifier, its secret, and how the secret is sent (header or form): the provider does not "
                + "say which of them is wrong. A public client has no secret.",
            signs: .words(["client authentication failed"])),
        RecognizedFailure(
            .unknownClient,
            hint:
                "Copy the client identifier from the provider's page once more, and check that it belongs to this issuer; "
                + "a client that was deleted has to be made anew.",
            signs: .errors(["deleted_client", "disabled_client"]),
            .words([
                "aadsts700016", "client was not found", "client not found", "client was deleted", "unknown client",
                "client does not exist", "no such client", "unregistered client",
                "invalid client_id", "client_id is invalid", "'client_id' parameter", "errors.app.notfound",
            ])),
        RecognizedFailure(
            .secretMissing,
            hint:
                "Give the client's secret, or register the client as a public one (native, mobile, desktop), which has "
                + "none.",
            signs: .words(["aadsts7000218", "client_secret is missing", "client secret is missing"])),
        RecognizedFailure(
            .secretUnwanted, hint: "Leave out the secret: the client is registered as a public one.",
            signs: .words(["aadsts700025", "client is public so neither"])),
        RecognizedFailure(
            .wrongSecret,
            hint:
                "Copy the secret from the provider's page once more (Microsoft: its value, not its ID), and check that it "
                + "has not expired.",
            signs: .words([
                "aadsts7000215", "aadsts7000222", "invalid client secret", "client secret is invalid",
                "client secret provided is invalid", "invalid_client_secret",
                "invalid client or invalid client credentials",
            ])),
        RecognizedFailure(
            .scopeRefused, hint: AuthStateError.scopeAdvice, at: [.authorization, .token],
            signs: .errors(["invalid_scope"]), .words(["aadsts70011", "aadsts650053", "invalid_scope"])),
        RecognizedFailure(
            .consentMissing,
            hint:
                "Log in with a page and consent; some accesses only an administrator may consent to, at the provider.",
            signs: .words(["aadsts65001", "aadsts90094"])),
        RecognizedFailure(
            .wrongVerifier,
            hint: "Complete a login with the request that began it: the verifier belongs to that request alone.",
            signs: .words(["code_verifier", "code verifier", "code challenge", "pkce", "aadsts501481"])),
        RecognizedFailure(
            .codeSpent, hint: "Start the login again: a code is good once, and for a short time.",
            at: [.authorization, .token],
            signs: .errors(["invalid_code", "bad_verification_code"]),
            .words([
                "aadsts54005", "aadsts70008", "bad_verification_code", "code not valid", "invalid authorization code",
            ])),
        RecognizedFailure(
            .noAnswerCame,
            hint:
                "If the browser shows the provider's error, or an empty page, look for the redirect URI and the client: "
                + "both have to be registered there, character by character. Else try again and finish in the browser, or "
                + "allow more time; on a machine without a browser, paste the address or use a device code.",
            at: [.authorization], signs: .failure(.timedOut, ["no answer came from the provider"])),
        RecognizedFailure(
            .certificateForOtherName,
            hint: "Use a name or address that is in the server's certificate, or make a certificate for this one.",
            signs: .failure(
                .insecureConnection,
                ["no alternative certificate subject name", "does not match target host", "ip address mismatch"])),
        RecognizedFailure(
            .certificateExpired, hint: "Renew the server's certificate, and check this machine's clock.",
            signs: .failure(
                .insecureConnection,
                ["certificate has expired", "certificate is not yet valid", "urlerror -1201", "urlerror -1204"])),
        RecognizedFailure(
            .appTransportSecurity,
            hint: "Use https with TLS 1.2 or newer; for a development server allow it in Info.plist, under "
                + "NSAppTransportSecurity (NSAllowsLocalNetworking, or an exception for its domain).",
            signs: .failure(.insecureConnection, ["app transport security", "urlerror -1022"])),
        RecognizedFailure(
            .untrustedCertificate,
            hint:
                "For a development server with a certificate of its own, trust its authority: by certificateAuthorityFile "
                + "of the transport, in Apple's simulator by xcrun simctl keychain booted add-root-cert ca.pem, on a device "
                + "by a profile that is trusted in the settings.",
            signs: .failure(
                .insecureConnection,
                [
                    "self-signed", "self signed", "local issuer certificate", "issuer certificate",
                    "unable to verify the first certificate", "urlerror -1202", "urlerror -1203", "urlerror -999",
                ])),
    ]
}
