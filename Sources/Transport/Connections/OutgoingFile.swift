import HTTP1
import Reactor

/// A file on its way to the peer behind the head of a response.
struct OutgoingFile {
  /// What the connection moves in one go, so that others get their turn.
  static let slice = 262_144
  /// How much of it is read into memory at a time when it has to be encrypted.
  static let step = 65_536

  /// What is left of the file.
  var file: FileSpan
  /// The request that it answers, with what came behind that.
  var pending: PendingRequest
  var persistence: ConnectionPersistence
}
