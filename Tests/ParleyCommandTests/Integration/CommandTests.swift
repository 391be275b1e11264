import TestPeers
import TestSupport
import Testing

/// What holds of the command line together with a real server.
///
/// One after the other, since each has a server on a small machine.
@Suite("The command line", .serialized, .patientTimeLimit(minutes: 10), .onOwnThreads)
enum CommandTests {
  /// A server that neither slows senders down nor looks anything up.
  static let quiet = [
    "--limits-flood-messages", "0", "--limits-user-flood-messages", "0", "--unfurl-mode", "off",
  ]
}
