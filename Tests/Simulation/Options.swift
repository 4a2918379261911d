/// The options of the command line.
struct Options {
    var seeds = 1000
    var from: UInt64 = 1
    var seed: UInt64?
    var rule: Rule?
    var breakage: Breakage?
    var topic: Topic?
    var isSelfCheck = false
    var isTracing = false
    var isShrinking = false

    struct Mistake: Error, CustomStringConvertible {
        var description: String
    }

    init() {}

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        while let option = rest.popFirst() {
            func value<Value>(_ read: (String) -> Value?) throws -> Value {
                guard let value = rest.popFirst().flatMap(read) else {
                    throw Mistake(description: "\(option) needs a value.\n\(Self.usage)")
                }
                return value
            }
            switch option {
            case "--seeds": seeds = try value { Int($0) }
            case "--from": from = try value { UInt64($0) }
            case "--seed": seed = try value { UInt64($0) }
            case "--rule": rule = try value { Rule(rawValue: $0) }
            case "--topic": topic = try value { name in Topic.all.first { $0.name == name } }
            case "--break": breakage = try value { Breakage(rawValue: $0) }
            case "--self-check": isSelfCheck = true
            case "--trace": isTracing = true
            case "--shrink": isShrinking = true
            default: throw Mistake(description: "Unknown option \(option).\n\(Self.usage)")
            }
        }
    }

    static let usage = """
        usage: Simulation [--seeds N] [--from S] [--rule NAME]              runs N seeds, the first of them S
               Simulation --seed S [--trace] [--shrink [--rule NAME]]       shows one seed
               Simulation --self-check                                      breaks something for each rule, and finds it
        and with --seeds or --seed: --break NAME                            breaks something on purpose
                                    --topic NAME                            gives every plan this topic
        """
}
