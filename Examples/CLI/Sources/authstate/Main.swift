import AuthStateProgram

@main
struct Main {
    static func main() async { await AuthStateCommand.start() }
}
