import Testing

/// The built program at independent providers.
@Suite(.whereProvidersAreInstalled, .running(Provider.all, lanes: 3), .inLane, .timeLimit(.minutes(10)))
struct EndToEndTests {}
