import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

extension Recording {
    /// HTTP Archive 1.2; what is not known is −1, or empty.
    var httpArchive: JSONValue {
        let creator: JSONValue = ["name": "AuthStateKit", "version": "1"]
        return ["log": ["version": "1.2", "creator": creator, "entries": .array(exchanges.map(entry))]]
    }

    private func entry(_ exchange: RecordedExchange) -> JSONValue {
        let milliseconds = JSONValue(floatLiteral: exchange.duration / .milliseconds(1))
        let query = exchange.query.map {
            "\(hiding($0.name))=\($0.isMark ? "…" : PercentEncoding.uri(hiding($0.value)))"
        }
        let address = hiding(exchange.url) + (query.isEmpty ? "" : "?\(query.joined(separator: "&"))")
        var request: [String: JSONValue] = [
            "method": .string(exchange.method), "url": .string(address), "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": pairs(exchange.requestHeaders), "queryString": pairs(exchange.query), "headersSize": -1,
            "bodySize": .number(JSONNumber(Int64(exchange.requestBytes))),
        ]
        if exchange.requestBytes > 0 {
            request["postData"] = [
                "mimeType": .string(hiding(exchange.requestType)),
                "params": pairs(exchange.sent.filter { $0.name != "body" }),
                "text": "",
            ]
        }
        let received = Dictionary(
            exchange.received.map { (hiding($0.name), JSONValue.string(text($0))) },
            uniquingKeysWith: { first, _ in first })
        let content: JSONValue = [
            "size": .number(JSONNumber(Int64(exchange.responseBytes))),
            "mimeType": .string(exchange.responseType.isEmpty ? "x-unknown" : hiding(exchange.responseType)),
            "text": .string(String(decoding: JSONValue.object(received).serialized(), as: UTF8.self)),
        ]
        let response: JSONValue = [
            "status": .number(JSONNumber(Int64(exchange.status ?? 0))),
            "statusText": .string(hiding(exchange.failure ?? "")), "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": pairs(exchange.responseHeaders), "content": content,
            "redirectURL": .string(
                exchange.responseHeaders.first { $0.name.lowercased() == "location" }.map(text) ?? ""),
            "headersSize": -1, "bodySize": .number(JSONNumber(Int64(exchange.responseBytes))),
        ]
        return [
            "startedDateTime": .string(
                exchange.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            "time": milliseconds, "request": .object(request), "response": response, "cache": [:],
            "timings": ["send": 0, "wait": milliseconds, "receive": 0],
        ]
    }

    private func pairs(_ members: [ReportedMember]) -> JSONValue {
        .array(members.map { ["name": .string(hiding($0.name)), "value": .string(text($0))] })
    }

    /// The value as it may be shown.
    func text(_ member: ReportedMember) -> String { member.isMark ? member.value : hiding(member.value) }
}
