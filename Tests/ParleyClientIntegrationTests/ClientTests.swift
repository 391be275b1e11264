import TestSupport
import Testing

/// What holds of the client library together with a real server.
///
/// One after the other, since each has a server on a small machine.
@Suite("A client of a real server", .serialized, .patientTimeLimit(minutes: 10), .onOwnThreads)
enum ClientTests {}
