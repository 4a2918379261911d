import ArgumentParser
import Testing

@testable import AuthStateProgram

struct MistypedTests {
    @Test(
        "gets the nearest command or option",
        arguments: [
            ("loginn", "loginn", "login"), ("stauts --json", "stauts", "status"), ("request", nil, nil),
            ("login --isuer https://op.example", "--isuer", "--issuer"),
            ("token --min-validty=3", "--min-validty", "--min-validity"),
            ("login --client-secret s3cret", "--client-secret", "--client-secret-env"),
            ("frobnicate", "frobnicate", nil),
            ("registration --json", nil, nil), ("registration shwo", nil, nil),
            ("registration update --metdata a=b", "--metdata", "--metadata"),
            ("request -- --url", nil, nil), ("--versoin", "--versoin", "--version"), ("help login", nil, nil),
            ("", nil, nil),
            ("logout --browser-comand x", "--browser-comand", "--browser-command"),
        ] as [(String, String?, String?)])
    func nearest(_ line: String, _ word: String?, _ nearest: String?) {
        let mistyped = Mistyped.first(in: line.split(separator: " ").map(String.init))
        #expect(mistyped?.word == word && mistyped?.nearest == nearest)
    }

    @Test func `is none of the commands that there are`() {
        let commands = AuthStateCommand.configuration.groupedSubcommands.flatMap(\.subcommands)
        #expect(commands.count > 15)
        for command in commands { #expect(Mistyped.first(in: [command._commandName]) == nil, "\(command)") }
    }

    @Test func `is told in one sentence, with the value of no option in it`() {
        #expect(
            "\(Mistyped.first(in: ["login", "--client-secret=s3cret"])!)"
                == "Unknown option '--client-secret'. Did you mean '--client-secret-env'?")
        #expect("\(Mistyped.first(in: ["xyzzy"])!)" == "Unknown command 'xyzzy'.")
    }
}
