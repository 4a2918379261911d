import Testing

/// The built program at independent providers, one test after the other: they share the running processes.
@Suite(
    "authstate", .whereProvidersAreInstalled, .running(Provider.all), .serialized, .timeLimit(.minutes(5)))
struct EndToEndTests {}
