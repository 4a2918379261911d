import Testing

/// Everything that is tried on providers that others wrote, one test after the other: they share what runs.
@Suite(.whereProvidersAreInstalled, .running(Provider.all), .serialized, .timeLimit(.minutes(5)))
struct ProviderTests {}
