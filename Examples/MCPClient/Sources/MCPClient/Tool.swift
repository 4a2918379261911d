public import AuthStateKit

/// A tool of a server.
public struct Tool: Sendable, Hashable {
    /// The name that calls it.
    public var name: String
    /// What the tool does, for people and models; written by the server.
    public var description: String?
    /// The JSON Schema of its arguments.
    public var inputSchema: JSONValue

    /// Makes a tool.
    public init(name: String, description: String? = nil, inputSchema: JSONValue = ["type": "object"]) {
        self.name = name
        self.description = description
        self.inputSchema = inputSchema
    }

    /// Reads an element of `tools/list`; nil for one without a name.
    public init?(_ value: JSONValue) {
        guard let name = value["name"]?.stringValue else { return nil }
        self.init(
            name: name, description: value["description"]?.stringValue,
            inputSchema: value["inputSchema"] ?? ["type": "object"])
    }

    /// Returns the arguments of a command line, `name=value` each: a value is text where the tool's schema says string, else
    /// JSON, or text where it is none.
    ///
    /// - Throws: `MCPError.invalidArgument`.
    public func arguments(_ words: some Sequence<String>) throws -> [String: JSONValue] {
        var arguments: [String: JSONValue] = [:]
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw MCPError.invalidArgument("An argument is written name=value, not \(word)")
            }
            guard arguments[parts[0]] == nil else {
                throw MCPError.invalidArgument("The argument \(parts[0]) occurs twice")
            }
            let isText = inputSchema["properties"]?[parts[0]]?["type"] == "string"
            arguments[parts[0]] = isText ? nil : try? JSONValue(parsing: Array(parts[1].utf8))
            if arguments[parts[0]] == nil { arguments[parts[0]] = .string(parts[1]) }
        }
        return arguments
    }
}

/// The result of a call.
public struct ToolResult: Sendable, Hashable {
    /// The content: texts, images and more, each an object with a `type`.
    public var content: [JSONValue]
    /// The result in the form of the tool's output schema, where it has one.
    public var structuredContent: JSONValue?
    /// Whether the tool failed; `content` then says why.
    public var isError: Bool

    /// Reads the result of `tools/call`.
    init(_ value: JSONValue) throws {
        guard let content = value["content"]?.arrayValue else {
            throw MCPError.malformedAnswer("a result without content")
        }
        self.content = content
        structuredContent = value["structuredContent"]
        isError = value["isError"]?.boolValue ?? false
    }

    /// The texts of the content, one below the other.
    public var text: String { content.compactMap { $0["text"]?.stringValue }.joined(separator: "\n") }
}
