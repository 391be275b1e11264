import TestSupport
import Testing

/// What holds of a whole server, seen from outside: child processes, sockets, files, signals.
///
/// One after the other, since each has a server and several clients on a small machine.
@Suite("A server", .serialized, .onOwnThreads)
enum ServerTests {}
