import AuthStateJOSE
import AuthStateKit
import AuthStatePlatform
import MCPClient

/// A message of JSON-RPC 2.0 on its way between host and server, as far as the transport has to know it.
struct BridgedMessage: Sendable {
    /// The role of a message.
    enum Kind: Sendable, Equatable {
        case request(id: JSONValue)
        case notification
        case response
    }

    let kind: Kind
    /// The method; nil for a response.
    let method: String?
    /// The members that the transport reads in every message; others are null.
    let envelope: JSONValue
    /// The message as it came.
    let bytes: Data

    /// Reads the whole message once more.
    ///
    /// - Throws: `BridgeFailure` where an object below the envelope has a member twice.
    func whole() throws -> JSONValue {
        do { return try JSONValue(parsing: bytes, maximumDepth: Self.maximumDepth) } catch {
            if kind == .response { throw MCPBridge.malformed("with JSON that is no message: \(error)") }
            throw BridgeFailure(.parseError, "This message is no JSON: \(error).")
        }
    }

    private static let envelopeShape: JSONValue = [
        "jsonrpc": true, "id": true, "method": true,
        "params": ["_meta": true, "name": true, "uri": true, "requestId": true, "capabilities": true],
    ]
    /// The depth of a message that is read; deeper ones are refused.
    private static let maximumDepth = 512

    /// Reads what a line, or the data of an event, holds: one message, or several in a list, as revision 2025-03-26 has it.
    static func read(_ bytes: Data) -> [Result<BridgedMessage, BridgeFailure>] {
        do {
            let isList = bytes.first { $0 > 0x20 } == UInt8(ascii: "[")
            let json = try JSONValue(
                parsing: bytes, maximumDepth: maximumDepth, keeping: isList ? nil : envelopeShape)
            guard let members = json.arrayValue else { return [read(json, bytes)] }
            if members.isEmpty { return [.failure(BridgeFailure(.invalidRequest, "This list has no message."))] }
            return members.map { read($0, Data($0.serialized())) }
        } catch {
            return [.failure(BridgeFailure(.parseError, "This line is no JSON: \(error)."))]
        }
    }

    /// Reads an event's data as `read(_:)` does; where they are not UTF-8, with replacement characters, as such a stream is decoded.
    static func read(_ event: EventStreamParser.Event) -> [Result<BridgedMessage, BridgeFailure>] {
        let messages = read(event.bytes)
        if case .failure(let failure) = messages[0], failure.code == .parseError { return read(Data(event.data.utf8)) }
        return messages
    }

    private static func read(_ json: JSONValue, _ bytes: Data) -> Result<BridgedMessage, BridgeFailure> {
        let id = [json["id"]].compactMap(\.self).first { $0.stringValue != nil || $0.isNumber }
        func failure(_ text: String) -> Result<BridgedMessage, BridgeFailure> {
            .failure(BridgeFailure(.invalidRequest, text, id: id ?? .null))
        }
        guard json.objectValue != nil else { return failure("A message of JSON-RPC is an object.") }
        guard json["jsonrpc"]?.stringValue == "2.0" else {
            return failure("A message of JSON-RPC 2.0 has the member jsonrpc with 2.0.")
        }
        if let method = json["method"] {
            guard let method = method.stringValue else { return failure("The member method has to be a text.") }
            if json["id"] != nil, id == nil { return failure("The member id has to be a text or a number.") }
            let kind = id.map(Kind.request) ?? .notification
            return .success(Self(kind: kind, method: method, envelope: json, bytes: bytes))
        }
        guard json["result"] != nil || json["error"] != nil else {
            return failure("A message of JSON-RPC has a method, a result or an error.")
        }
        return .success(Self(kind: .response, method: nil, envelope: json, bytes: bytes))
    }

    /// The identifier of a request; nil for other messages.
    var requestID: JSONValue? { if case .request(let id) = kind { id } else { nil } }

    /// Whether the message is the answer to a request.
    func answers(_ request: BridgedMessage) -> Bool { kind == .response && envelope["id"] == request.requestID }

    /// Whether the message opens a session: those behind it are sent when it is done.
    var isHandshake: Bool { method == "initialize" || method == "notifications/initialized" }

    /// The revision that the message names itself: since 2026-07-28 each request stands alone.
    var revision: String? {
        envelope["params"]?["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.stringValue
    }

    /// The tool, prompt or resource that a request is about.
    var name: String? {
        switch method {
        case "tools/call", "prompts/get": envelope["params"]?["name"]?.stringValue
        case "resources/read": envelope["params"]?["uri"]?.stringValue
        default: nil
        }
    }

    /// What the message does, for the bound of logins for more rights.
    var operation: String { [method, name].compactMap(\.self).joined(separator: " ") }

    /// The message with extensions of the protocol among the host's capabilities; the same message where it has none of these.
    func declaring(_ extensions: [String]) throws -> BridgedMessage {
        let path =
            method == "initialize"
            ? ["params", "capabilities"] : ["params", "_meta", "io.modelcontextprotocol/clientCapabilities"]
        guard !extensions.isEmpty,
            let capabilities = path.reduce(JSONValue?.some(envelope), { $0?[$1] })?.objectValue,
            let members = try whole().objectValue
        else { return self }
        var declared = capabilities["extensions"]?.objectValue ?? [:]
        for name in extensions where declared[name] == nil { declared[name] = [:] }
        let changed = Self.replacing(
            path[...], in: members, by: .object(capabilities.merging(["extensions": .object(declared)]) { $1 }))
        return Self(
            kind: kind, method: method, envelope: envelope, bytes: Data(JSONValue.object(changed).serialized()))
    }

    private static func replacing(
        _ path: ArraySlice<String>, in members: [String: JSONValue], by value: JSONValue
    ) -> [String: JSONValue] {
        guard let name = path.first else { return members }
        var members = members
        members[name] =
            path.count == 1
            ? value : .object(replacing(path.dropFirst(), in: members[name]?.objectValue ?? [:], by: value))
        return members
    }

    /// The message as one line: JSON has line breaks between its tokens alone.
    var line: Data {
        guard let first = [0x0A, 0x0D].compactMap(bytes.firstIndex(ofByte:)).min() else { return bytes }
        return bytes[..<first] + bytes[first...].map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
    }
}

extension JSONValue {
    fileprivate var isNumber: Bool { if case .number = self { true } else { false } }
}

/// A failure that the host is told as the error of a message.
struct BridgeFailure: Error, Equatable {
    var code: JSONRPCError.Code
    var message: String
    /// The request's identifier; null where it is not known.
    var id: JSONValue
    /// What a program can branch on; nil for nothing.
    var data: JSONValue?

    init(_ code: JSONRPCError.Code, _ message: String, id: JSONValue = .null, data: JSONValue? = nil) {
        (self.code, self.message, self.id, self.data) = (code, message, id, data)
    }

    /// The failure of a request on its way.
    init(_ error: AuthStateError) {
        self.init(.internalError, "\(error)", data: ["authstate": error.json])
    }

    /// The message to the host.
    func line(to id: JSONValue? = nil) -> Data {
        let error = JSONValue(known: [
            "code": .number(JSONNumber(code.rawValue)), "message": .string(message), "data": data,
        ])
        return Data(JSONValue.object(["jsonrpc": "2.0", "id": id ?? self.id, "error": error]).serialized())
    }
}
