import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Gives programs of AWS the credentials of a role, in exchange for a fresh token (AssumeRoleWithWebIdentity).
struct AWSCredential: Command {
    static let configuration = CommandConfiguration(
        commandName: "aws-credential", _superCommandName: "authstate",
        abstract: "Give programs of AWS the credentials of a role, in exchange for the login's ID token.",
        discussion: """
            Log in once, then let the programs ask, by ~/.aws/config:
              [profile work]
              credential_process = authstate aws-credential --role-arn arn:aws:iam::123456789012:role/work

            The role has to trust the provider: an OIDC identity provider in IAM, with the client's identifier as audience.
            """)
    static let stage = AuthStateError.Stage.resource

    @Option(name: .customLong("role-arn"), help: ArgumentHelp("The role.", valueName: "arn"))
    var roleARN: String

    @Option(help: ArgumentHelp("The name of the session in AWS' logs.", valueName: "name"))
    var sessionName = "authstate"

    @Option(
        help: ArgumentHelp(
            "How long the credentials are valid, 900 to 43200 seconds. Default: the role's.", valueName: "s"))
    var duration: Int?

    @Option(
        help: ArgumentHelp(
            "The Security Token Service. Default: AWS_ENDPOINT_URL_STS, else that of AWS_REGION or AWS_DEFAULT_REGION, else the "
                + "global one. The region in ~/.aws/config is not read.",
            valueName: "url"))
    var endpoint: String?

    @Option(help: ArgumentHelp("The token that the role takes: id, or access.", valueName: "kind"))
    var tokenType = TokenType.id

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    var isCalledByPrograms: Bool { true }

    func validate() throws {
        guard roleARN.hasPrefix("arn:"), roleARN.contains(":role/") else {
            throw ValidationError("--role-arn has to be like arn:aws:iam::123456789012:role/work.")
        }
        guard sessionName.wholeMatch(of: /[A-Za-z0-9_+=,.@-]{2,64}/) != nil else {
            throw ValidationError("--session-name has to be 2 to 64 letters, digits or _+=,.@-.")
        }
        if let duration, !(900...43_200).contains(duration) {
            throw ValidationError("--duration has to be from 900 to 43200 seconds.")
        }
        _ = try service(ProcessInfo.processInfo.environment)
    }

    /// The address of the service; tokens go over TLS, or stay on this machine.
    func service(_ environment: [String: String]) throws -> URL {
        let region = environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"]
        let domain = region?.hasPrefix("cn-") == true ? "amazonaws.com.cn" : "amazonaws.com"
        let usual = "https://sts.\(region.map { "\($0)." } ?? "")\(domain)/"
        let text = endpoint ?? environment["AWS_ENDPOINT_URL_STS"] ?? usual
        guard let url = URL(string: text), url.host != nil,
            url.scheme == "https" || url.scheme == "http" && url.isLoopback
        else {
            throw ValidationError("The Security Token Service has to be at an https URL: \(text.printable()).")
        }
        return url
    }

    func perform(_ context: Context) async throws -> Report {
        let url = try service(ProcessInfo.processInfo.environment)
        return try await context.session().withState { state in
            try state.checkIsNotForResource()
            let token = try await state.freshToken(tokenType, for: "AWS").token
            var form: Parameters = [
                "Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15", "RoleArn": roleARN,
                "RoleSessionName": sessionName, "WebIdentityToken": token,
            ]
            form["DurationSeconds"] = duration.map { "\($0)" }
            let request = TransportRequest(
                method: .post, url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Data(form.encoded.utf8), timeout: .seconds(min(30, context.timeLimit * 0.9)))
            let answer: TransportResponse
            do { answer = try await state.service.transport.send(request) } catch let error as TransportError {
                throw AuthStateError(
                    .unreachable, stage: Self.stage, "AWS could not be asked: \(error.message)",
                    received: url.absoluteString, hint: "Check the network and --endpoint, then try again.")
            }
            return try Self.report(answer, hiding: token)
        }
    }

    /// Reads the answer of the service (AWS STS API reference, AssumeRoleWithWebIdentity).
    static func report(_ answer: TransportResponse, hiding token: String) throws -> Report {
        let text = String(decoding: answer.body, as: UTF8.self)
        func element(_ name: String) -> String? {
            guard let start = text.firstRange(of: "<\(name)>"),
                let end = text[start.upperBound...].firstRange(of: "</\(name)>")
            else {
                return nil
            }
            return String(text[start.upperBound..<end.lowerBound])
        }
        guard answer.status == 200 else {
            let isTransient = answer.status >= 500 || answer.status == 429
            let reason = [element("Code"), element("Message")].compactMap(\.self).joined(separator: ": ")
            throw AuthStateError(
                isTransient ? .temporarilyUnavailable : .accessDenied, stage: stage,
                "AWS did not give the role's credentials.",
                received: reason.isEmpty
                    ? "status \(answer.status)" : reason.replacing(token, with: "…").printable(),
                hint: isTransient
                    ? "Try again later."
                    : "Check that the role trusts the provider, and its condition on the audience and the subject.")
        }
        let members = [
            "AccessKeyId": element("AccessKeyId"), "SecretAccessKey": element("SecretAccessKey"),
            "SessionToken": element("SessionToken"), "Expiration": element("Expiration"),
        ].compactMapValues { $0 }
        guard members.count == 4 else {
            throw AuthStateError(
                .malformedResponse, stage: stage, "The answer of AWS has no credentials.",
                expected: "AccessKeyId, SecretAccessKey, SessionToken and Expiration",
                received: members.keys.sorted().joined(separator: ", "), hint: "Check --endpoint.")
        }
        var json = members.mapValues { JSONValue.string($0) }
        json["Version"] = 1
        let object = JSONValue.object(json)
        return Report(json: object, data: object.printed + [0x0A])
    }
}
