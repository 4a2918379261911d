import Testing

/// The built program at providers that others wrote, one test after the other: they share what runs.
@Suite(
    "authstate", .whereProvidersAreInstalled, .running(Provider.all), .serialized, .timeLimit(.minutes(2)))
struct EndToEndTests {}
