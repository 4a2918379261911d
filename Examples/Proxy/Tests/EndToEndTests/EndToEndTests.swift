import Testing

/// The built program at independent providers.
@Suite(
    .whereProvidersAreInstalled, .running([.glewlwyd, .django], lanes: 2), .inLane,
    .timeLimit(.minutes(10)))
struct EndToEndTests {}
